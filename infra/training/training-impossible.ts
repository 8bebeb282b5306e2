/** Nothing can be trained or checked; the message has the reason. */
export class TrainingImpossible extends Error {
  override readonly name = "TrainingImpossible";
}
