/** Training or checking is impossible; the message has the reason. */
export class TrainingImpossible extends Error {
  override readonly name = "TrainingImpossible";
}
