// `npm run build`, which `npm ci` runs: writes the application as JavaScript to `dist`, one file for each source file.
// Arguments are further folders of sources.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = join(root, "dist");
const folders = ["domain", "commands", "projections", "read-api", "client", "infra", ...process.argv.slice(2)];
/** Sources that are JavaScript. */
const scripts = ["infra/scoring/scorer-child.js", "test/runner/uvu-hooks.js"];

/** Scripts for browsers, each bundled into one file. */
const pages = ["web/tl.ts"];

/** Modules import one another from `dist`; JSON becomes part of the file that imports it. */
const importsOfModules = {
  name: "imports of modules",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind }) =>
      kind === "entry-point" ? null : { path: path.replace(/ts$/, "js"), external: true },
    ),
};

async function sourcesIn(folder) {
  const names = await readdir(join(root, folder), { recursive: true });
  return names
    .map((name) => join(folder, name))
    .filter((name) => (name.endsWith(".ts") && !name.endsWith(".d.ts")) || scripts.includes(name));
}

const modules = await build({
  absWorkingDir: root,
  entryPoints: (await Promise.all(folders.map(sourcesIn))).flat(),
  ...{ outdir: output, outbase: root, bundle: true, packages: "external", plugins: [importsOfModules] },
  ...{ platform: "node", target: "node20", format: "esm", logLevel: "warning", write: false },
  ...{ sourcemap: "linked", sourcesContent: false },
});
const scriptsOfPages = await build({
  absWorkingDir: root,
  entryPoints: pages,
  ...{ outdir: output, outbase: root, bundle: true, minify: true, write: false },
  ...{ platform: "browser", target: "es2022", format: "iife", logLevel: "warning" },
});
const outputFiles = [...modules.outputFiles, ...scriptsOfPages.outputFiles];

// A running instance still imports from `dist`: unchanged files stay, and others are replaced atomically.
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
