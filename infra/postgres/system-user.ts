import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../data-directory/files.ts";
import { PostgresUnavailable } from "./managed-postgres-error.ts";

/** A user of the operating system. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user that Postgres runs as when this process is root, which Postgres refuses: the owner of `directory` if it exists,
 * else `postgres`, else `nobody`. Null when this process is not root.
 * @throws {PostgresUnavailable} when the system has none of these users
 */
export async function userForPostgres(directory: string): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null;
  const users = await systemUsers();
  const owner = await ownerOf(directory);
  const user =
    users.find(({ uid }) => uid === owner && uid !== 0) ??
    users.find(({ name }) => name === "postgres") ??
    users.find(({ name }) => name === "nobody");
  if (user !== undefined) return user;
  throw new PostgresUnavailable(
    "Postgres does not run as root, and this system has neither a user postgres nor a user nobody for it. " +
      "Make one (useradd --system postgres), start as an ordinary user, or set DATABASE_URL to a Postgres of your own.",
  );
}

/** Whether `user` may pass through `directory` and every directory above it, as their modes say. */
export async function canReach(user: SystemUser | null, directory: string): Promise<boolean> {
  if (user === null) return true;
  const { mode, uid, gid } = await stat(directory);
  const executable = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & executable) === 0) return false;
  const above = dirname(directory);
  return above === directory || canReach(user, above);
}

/** Options of `spawn` that run a process as `user`. */
export function runningAs(user: SystemUser | null): { readonly uid?: number; readonly gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

async function systemUsers(): Promise<readonly SystemUser[]> {
  const users: SystemUser[] = [];
  for (const line of (await readFile("/etc/passwd", "utf8")).split("\n")) {
    const [name = "", , uid = "", gid = ""] = line.split(":");
    if (/^\d+$/.test(uid) && /^\d+$/.test(gid)) users.push({ name, uid: Number(uid), gid: Number(gid) });
  }
  return users;
}

async function ownerOf(directory: string): Promise<number | null> {
  try {
    return (await stat(directory)).uid;
  } catch (failure) {
    if (errorCode(failure) === "ENOENT") return null;
    throw failure;
  }
}
