import { chmod, cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { locatePackage, type PackagedPostgres, prepareBinaries } from "../../../infra/postgres/binaries.ts";
import { PostgresUnavailable } from "../../../infra/postgres/managed-postgres-error.ts";
import { userForPostgres } from "../../../infra/postgres/system-user.ts";

interface Given {
  path: string;
  home: string;
  /** As npm leaves it when install scripts are off: without its links. */
  packaged: PackagedPostgres;
}

const binaries = suite<Given>("the packaged Postgres");

// The package is copied once: it has 60 MB. The last test damages it.
binaries.before(async (given) => {
  given.path = await mkdtemp(join(tmpdir(), "touchledger-binaries-"));
  await chmod(given.path, 0o711);
  const { native, version } = await locatePackage();
  given.packaged = { native: join(given.path, "package", "native"), version };
  await cp(native, given.packaged.native, { recursive: true, verbatimSymlinks: true });
});
binaries.before.each(async (given) => {
  given.home = await mkdtemp(join(given.path, "home-"));
  await chmod(given.home, 0o755);
  for (const entry of await readdir(given.packaged.native, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(entry.parentPath, entry.name));
  }
});
binaries.after.each(async ({ path, packaged }) => {
  await chmod(join(path, "package"), 0o755);
  await chmod(join(packaged.native, "lib"), 0o755);
});
binaries.after(({ path }) => rm(path, { recursive: true }));

binaries("gets the links that its install script would have made", async ({ home, packaged }) => {
  const { postgres, majorVersion } = await prepareBinaries(home, await userForPostgres(home), packaged);
  assert.is(postgres, join(packaged.native, "bin", "postgres"));
  assert.is(majorVersion, packaged.version.split(".")[0]);
  assert.equal(await readdir(home), []);
});

binaries("is copied when the user of Postgres cannot reach it or it is not writable", async (given) => {
  const { home, packaged, path } = given;
  if (process.getuid?.() === 0) await chmod(join(path, "package"), 0o700);
  else await chmod(join(packaged.native, "lib"), 0o555);
  const copy = `binaries-${packaged.version}`;
  const { postgres } = await prepareBinaries(home, await userForPostgres(home), packaged);
  assert.is(postgres, join(home, copy, "bin", "postgres"));
  const again = await prepareBinaries(home, await userForPostgres(home), packaged);
  assert.is(again.postgres, postgres);
  assert.equal(await readdir(home), [copy]);
});

binaries("rejects when it does not run on this system", async ({ home, packaged }) => {
  await rm(join(packaged.native, "lib"), { recursive: true });
  await mkdir(join(packaged.native, "lib"));
  const failure = await prepareBinaries(home, await userForPostgres(home), packaged).catch((thrown: unknown) => thrown);
  assert.instance(failure, PostgresUnavailable);
  assert.match(String(failure), /does not run on this system \(.*error while loading shared libraries/);
});

binaries.run();
