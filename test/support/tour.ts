import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RunningApplication } from "./application-process.ts";
import { streamsOf } from "./event-store.ts";
import { program, root } from "./paths.ts";

const timeoutMs = 180_000;

/** Runs the tour of the README and its further steps against an application; answers what its commands print. */
export async function runTour({ run }: RunningApplication, directory: string, data: string): Promise<string> {
  const commands = tourCommands()
    .replaceAll("http://localhost:8080", run.baseUrl)
    .replaceAll("npx touchledger", `"${process.execPath}" "${program}"`);
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], {
    cwd: directory,
    env: { ...process.env, ...streamsOf({ DATA_DIR: data }), DATA_DIR: data, LOG_LEVEL: "warn" },
    timeout: timeoutMs,
  });
  return stdout;
}

/** The shell blocks of the tour in the README and of its further steps, in their order, as one script. */
function tourCommands(): string {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const tour = readme.slice(readme.indexOf("## A tour"), readme.indexOf("## The map"));
  const [first = [], further = []] = [tour, readFileSync(join(root, "docs/tour.md"), "utf8")].map((text) =>
    [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? ""),
  );
  if (first.length === 0 || further.length === 0) throw new Error("The tour has no commands");
  return [...first, ...further].join("\n");
}
