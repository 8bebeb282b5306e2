/** Nothing can be trained or checked; the message says why. */
export class TrainingImpossible extends Error {
  override readonly name = "TrainingImpossible";
}
