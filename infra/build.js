// `npm run build`, which `npm ci` runs: writes the application as JavaScript to `dist`, one file for each source file.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = join(root, "dist");
const layers = ["domain", "commands", "projections", "read-api", "infra"];

/** Modules import one another from `dist`; JSON becomes part of the file that imports it. */
const importsOfModules = {
  name: "imports of modules",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind }) =>
      kind === "entry-point" ? null : { path: path.replace(/ts$/, "js"), external: true },
    ),
};

async function sources() {
  const found = layers.map(async (layer) => {
    const names = await readdir(join(root, layer), { recursive: true });
    return names
      .filter((name) => name.endsWith(".ts") || name === "scoring/scorer-child.js")
      .map((name) => join(layer, name));
  });
  return (await Promise.all(found)).flat();
}

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: await sources(),
  ...{ outdir: output, outbase: root, bundle: true, packages: "external", plugins: [importsOfModules] },
  ...{ platform: "node", target: "node20", format: "esm", logLevel: "warning", write: false },
});

// A running instance still imports from `dist`: what has not changed stays, and no file is ever seen half written.
for (const { path, contents } of outputFiles) {
  const written = await readFile(path).catch(() => null);
  if (written?.equals(contents)) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, contents);
  await rename(`${path}.new`, path);
}
const current = new Set(outputFiles.map(({ path }) => path));
for (const name of await readdir(output, { recursive: true })) {
  const path = join(output, name);
  if (name.endsWith(".js") && !current.has(path)) await rm(path);
}
