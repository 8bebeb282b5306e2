import { createHash } from "node:crypto";
import { chown, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, readIfThere, writePrivately } from "../data-directory/files.ts";
import { stopLeftover } from "./orphaned-server.ts";
import { PostgresUnavailable } from "./postgres-unavailable.ts";
import { canReach, type SystemUser, userForPostgres } from "./system-user.ts";

/** Where Postgres keeps its files, and as whom it runs. */
export interface Placement {
  readonly home: string;
  readonly user: SystemUser | null;
}

/** The home of servers whose data directory lies where only root can enter. */
const awayDirectory = "/var/lib/touchledger";

/** The directory of a home that holds the database cluster. */
export const clusterIn = (home: string): string => join(home, "cluster");

/**
 * Makes the home of the server that belongs to `directory`: `directory/server`, or, when the user that Postgres runs
 * as cannot get there (a root home of mode 700), one under /var/lib/touchledger. There, a home left by an earlier
 * data directory of the same path is emptied: `password` tells them apart.
 * @throws {PostgresUnavailable} when there is no place
 */
export async function placePostgres(directory: string, password: string): Promise<Placement> {
  const beside = join(directory, "server");
  const user = await userForPostgres(beside);
  if (await canReach(user, directory)) {
    await makeHome(beside, user);
    return { home: beside, user };
  }
  const away = join(awayDirectory, createHash("sha256").update(directory).digest("hex").slice(0, 16));
  const cannot = (why: string): PostgresUnavailable =>
    new PostgresUnavailable(
      `Postgres runs as the user ${user?.name}, who cannot enter ${directory}, and ${why}. Set DATA_DIR to a ` +
        "directory that every user can pass through, start as an ordinary user, or set DATABASE_URL to a Postgres of your own.",
    );
  try {
    await mkdir(awayDirectory, { recursive: true, mode: 0o711 });
    if (!(await canReach(user, awayDirectory))) throw cannot(`neither can it enter ${awayDirectory}`);
    await makeHome(away, user);
    await emptyUnlessOf(password, away, user);
  } catch (failure) {
    if (errorCode(failure) === undefined) throw failure;
    throw cannot(`${away} cannot be used either (${errorCode(failure)})`);
  }
  return { home: away, user };
}

async function makeHome(home: string, user: SystemUser | null): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (user !== null) await chown(home, user.uid, user.gid);
}

async function emptyUnlessOf(password: string, home: string, user: SystemUser | null): Promise<void> {
  const mark = join(home, "belongs-to");
  const digest = createHash("sha256").update(password).digest("hex");
  if ((await readIfThere(mark)) === digest) return;
  await stopLeftover(clusterIn(home));
  await rm(home, { recursive: true, force: true });
  await makeHome(home, user);
  await writePrivately(mark, digest);
}
