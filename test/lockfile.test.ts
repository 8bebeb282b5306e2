import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import packageJson from "#package.json" with { type: "json" };
import { root } from "./support/paths.ts";

interface Locked {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lockfile = suite("the lockfile");

const lock: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8"),
);

// They execute what they have cached in the temporary directory, where other users of the machine can write.
lockfile("has no loader that compiles when the program starts", () => {
  const loaders = ["tsx", "ts-node", "esbuild-register", "@swc-node/register"];
  assert.equal(
    loaders.filter((name) => lock.packages[`node_modules/${name}`] !== undefined),
    [],
  );
});

// npm leaves out what the registry could not answer when it was written, and `npm ci` then refuses the whole file.
lockfile("states every optional package, also those of other systems", () => {
  const missing = Object.values(lock.packages)
    .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
    .filter((name) => lock.packages[`node_modules/${name}`]?.version === undefined);
  assert.equal(missing, []);
});

// It fetches 300 MB for graphics cards, which nothing here uses. npm 10 runs the scripts of all packages that have the flag,
// and leaves an optional package out without a word when its script fails; npm 11 asks `allowScripts` of package.json.
lockfile("has npm run no install script of the runtime of models", () => {
  const { hasInstallScript = false } = lock.packages["node_modules/onnxruntime-node"] ?? {};
  const advice = 'delete `"hasInstallScript": true` of node_modules/onnxruntime-node in package-lock.json';
  assert.is(hasInstallScript, false, `npm writes the flag back with a new version: ${advice}`);
});

lockfile("has npm 11 warn of no install script, on any system", () => {
  const decided = Object.keys(packageJson.allowScripts);
  const names = Object.entries(lock.packages)
    .filter(([, { hasInstallScript = false }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
  const undecided = names.filter((name) => !decided.includes(name));
  assert.equal(undecided, [], "say in allowScripts of package.json whether npm runs their install scripts");
});

lockfile.run();
