/** The disk is nearly full: nothing is written until there is room again. */
export class DiskFull extends Error {
  override readonly name = "DiskFull";
}

/** The deadline of an append had passed when it was to be decided: nothing is written. */
export class AppendExpired extends Error {
  override readonly name = "AppendExpired";
}
