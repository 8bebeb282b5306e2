import { rmSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const directory = fileURLToPath(new URL("../../node_modules/.cache/test-programs", import.meta.url));

/**
 * A program of the tests, and all modules that it imports, as one JavaScript file: it starts in 0.4 s, with tsx in 1.0 s.
 * @param url of its TypeScript file
 * @returns the path of the file, which is deleted when this process ends
 */
export async function bundledProgram(url: URL): Promise<string> {
  const program = fileURLToPath(url);
  const outfile = `${directory}/${basename(program, ".ts")}-${process.pid}.js`;
  process.once("exit", () => rmSync(outfile, { force: true }));
  const common = { bundle: true, packages: "external", platform: "node", target: "node20", format: "esm" } as const;
  await build({ ...common, entryPoints: [program], outfile, logLevel: "warning" });
  return outfile;
}
