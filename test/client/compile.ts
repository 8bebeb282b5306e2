import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../support/paths.ts";

const run = promisify(execFile);
const compiler = join(root, "node_modules/typescript-7/bin/tsc");

/** What the compiler of TypeScript says of the project in a folder: nothing if all is well. */
export async function compilerErrors(folder: string): Promise<string> {
  const { stdout }: { stdout: string } = await run(process.execPath, [compiler], { cwd: folder }).catch(
    (failure) => failure,
  );
  return stdout;
}
