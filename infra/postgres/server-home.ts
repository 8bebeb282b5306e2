import { createHash } from "node:crypto";
import { chown, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, readIfThere, writePrivately } from "../data-directory/files.ts";
import { PostgresUnavailable } from "./managed-postgres-error.ts";
import { stopOrphanedServer } from "./orphaned-server.ts";
import { canReach, type SystemUser, userForPostgres } from "./system-user.ts";

/** The directory of a server's files, and the user that the server runs as. */
export interface ServerHome {
  readonly home: string;
  readonly user: SystemUser | null;
}

/** Homes of servers whose data directory only root can enter. */
const fallbackDirectory = "/var/lib/touchledger";

/** The directory of the database cluster in a home. */
export const clusterIn = (home: string): string => join(home, "cluster");

/**
 * Creates the home of the server of `directory`: `directory/server`, or a directory under /var/lib/touchledger when the
 * user that Postgres runs as cannot enter `directory` (as below a root home of mode 700). There, the home of an earlier
 * data directory at the same path is emptied; `password` distinguishes them.
 * @throws {PostgresUnavailable} when neither directory can be used
 */
export async function prepareServerHome(directory: string, password: string): Promise<ServerHome> {
  const inside = join(directory, "server");
  const user = await userForPostgres(inside);
  if (await canReach(user, directory)) {
    await makeHome(inside, user);
    return { home: inside, user };
  }
  const fallback = join(fallbackDirectory, createHash("sha256").update(directory).digest("hex").slice(0, 16));
  const unusable = (why: string): PostgresUnavailable =>
    new PostgresUnavailable(
      `Postgres runs as the user ${user?.name}, who cannot enter ${directory}, and ${why}. Set DATA_DIR to a ` +
        "directory that every user can pass through, start as an ordinary user, or set DATABASE_URL to a Postgres of your own.",
    );
  try {
    await mkdir(fallbackDirectory, { recursive: true, mode: 0o711 });
    if (!(await canReach(user, fallbackDirectory))) throw unusable(`neither can it enter ${fallbackDirectory}`);
    await makeHome(fallback, user);
    await emptyHomeOfAnother(password, fallback, user);
  } catch (failure) {
    if (errorCode(failure) === undefined) throw failure;
    throw unusable(`${fallback} cannot be used either (${errorCode(failure)})`);
  }
  return { home: fallback, user };
}

async function makeHome(home: string, user: SystemUser | null): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (user !== null) await chown(home, user.uid, user.gid);
}

async function emptyHomeOfAnother(password: string, home: string, user: SystemUser | null): Promise<void> {
  const ownerFile = join(home, "belongs-to");
  const digest = createHash("sha256").update(password).digest("hex");
  if ((await readIfThere(ownerFile)) === digest) return;
  await stopOrphanedServer(clusterIn(home));
  await rm(home, { recursive: true, force: true });
  await makeHome(home, user);
  await writePrivately(ownerFile, digest);
}
