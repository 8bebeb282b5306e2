import { constants, getPriority, setPriority } from "node:os";

/** Lowers the priority of this process, unless it is as low already. */
export function letOthersRespondFirst(): void {
  const { PRIORITY_BELOW_NORMAL: lower } = constants.priority;
  if (getPriority() < lower) setPriority(lower);
}
