import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../data-directory/files.ts";
import { PostgresUnavailable } from "./postgres-unavailable.ts";

/** The user of the operating system that Postgres runs as. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Postgres refuses to run as root: the user it runs as instead. The owner of `directory` where there is one already,
 * else `postgres`, else `nobody`. Null when we are not root: then it runs as we do.
 * @throws {PostgresUnavailable} when the system has no such user
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

/** What to give `spawn` so that the process runs as `user`. */
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
