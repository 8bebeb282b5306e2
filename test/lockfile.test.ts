import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "./support/paths.ts";

interface Locked {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lockfile = suite("the lockfile");

// npm leaves out what the registry could not answer when it was written, and `npm ci` then refuses the whole file.
lockfile("states every optional package, also those of other systems", () => {
  const lock: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  const missing = Object.values(lock.packages)
    .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
    .filter((name) => lock.packages[`node_modules/${name}`]?.version === undefined);
  assert.equal(missing, []);
});

lockfile.run();
