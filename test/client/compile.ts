import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../support/paths.ts";

const run = promisify(execFile);
const compiler = join(root, "node_modules/typescript-7/bin/tsc");

/** What the compiler of TypeScript says of the project in a folder: nothing if all is well. */
export async function compilerErrors(folder: string): Promise<string> {
  try {
    const { stdout } = await run(process.execPath, [compiler], { cwd: folder });
    return stdout;
  } catch (failure) {
    const { stdout = "" } = failure as { readonly stdout?: string };
    if (stdout === "") throw failure;
    return stdout;
  }
}
