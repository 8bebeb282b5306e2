/** The backup cannot be made, or not be restored; the message says why and what to do. */
export class BackupFailed extends Error {
  override readonly name = "BackupFailed";
}
