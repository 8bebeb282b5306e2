import fs, { type StatsFs } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded before a program (`--import`): while the file of `FULL_DISK_FILE` is there, the system says that no space is free.
 * A disk that really is full needs rights of an administrator, or fills that of others.
 */
const { statfsSync } = fs;
const isFull = (): boolean => fs.existsSync(process.env.FULL_DISK_FILE ?? "");
fs.statfsSync = ((path: string): StatsFs => {
  const found = statfsSync(path);
  return isFull() ? Object.assign(found, { bavail: 0, bfree: 0 }) : found;
}) as typeof statfsSync;
syncBuiltinESMExports();
