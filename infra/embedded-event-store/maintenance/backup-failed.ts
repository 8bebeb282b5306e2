/** The backup cannot be made or restored; the message says why, and what to do. */
export class BackupFailed extends Error {
  override readonly name = "BackupFailed";
}
