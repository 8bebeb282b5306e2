import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commands } from "../../../infra/cli/named-commands.ts";
import { runProgram } from "../../support/command-line.ts";
import { program } from "../../support/paths.ts";

const inData = (module: string): string => `data:text/javascript,${encodeURIComponent(module)}`;
/** Prints every module that is imported on standard error. */
const printsImports = inData(`import { register } from "node:module";
  register(${JSON.stringify(
    inData(`import { writeSync } from "node:fs";
      export const load = (url, context, next) => { writeSync(2, url + "\\n"); return next(url, context); };`),
  )});`);

async function touchledger(...words: readonly string[]) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    "--import",
    printsImports,
    program,
    ...words,
  ]);
  const own = stderr.split("\n").flatMap((line) => line.split("/dist/")[1] ?? []);
  return { stdout, own };
}

const main = ["infra/cli/main.js", "infra/cli/named-commands.js", "infra/process/version.js"];
const cli = suite("touchledger");

for (const words of [["--version"], ["--help"], ["help"]]) {
  cli(`${words.join(" ")} loads no command`, async () => {
    const { stdout, own } = await touchledger(...words);
    assert.equal([...own].sort(), main);
    if (words[0] !== "--version") for (const name of Object.keys(commands)) assert.match(stdout, ` ${name}`);
  });
}

for (const words of [
  ["verify", "--help"],
  ["help", "verify"],
]) {
  cli(`${words.join(" ")} loads the command, and no other`, async () => {
    const { stdout, own } = await touchledger(...words);
    assert.match(stdout, commands.verify?.description ?? "");
    assert.equal(
      own.filter((module) => module.startsWith("infra/cli/commands/")),
      ["infra/cli/commands/verify.js"],
    );
  });
}

cli("starts under NODE_OPTIONS that silence deprecations already", async () => {
  const { code, err } = await runProgram(["--version"], { NODE_OPTIONS: "--no-deprecation" });
  assert.equal([code, err], [0, ""]);
});

cli.run();
