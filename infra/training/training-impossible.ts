/** Nothing can be trained or checked; the message says why and what is missing. */
export class TrainingImpossible extends Error {
  override readonly name = "TrainingImpossible";
}
