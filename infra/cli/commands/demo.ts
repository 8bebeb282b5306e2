import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { runDemo } from "../../demo/demo.ts";
import { runStart } from "../../main.ts";
import { wholeNumber } from "../argument-parsers.ts";
import { printedFailure } from "../printed-failure.ts";

const usualPort = 8080;
const highestNumber = 9_999_999;

/** `touchledger demo`: everything in a fresh temporary directory, with a month of simulated traffic in it. */
export function demoCommand(): Command {
  return new Command("demo")
    .option("--exit", "end after printing the report instead of staying up", false)
    .option("--all-rows", "print every row of the report", false)
    .option("--seed <number>", "seed of the simulation", wholeNumber(highestNumber), 1)
    .option("--devices <number>", "how many people see ads", wholeNumber(highestNumber), 4_000)
    .option("--visits <number>", "how many clicks follow real redirects", wholeNumber(highestNumber), 400)
    .action(async (options: DemoFlags) => {
      const directory = mkdtempSync(join(tmpdir(), "touchledger-demo-"));
      process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
      const port = process.env.PORT ?? String((await isFree(usualPort)) ? usualPort : 0);
      const print = (line: string): void => console.log(line);
      print(`Starting Touchledger in ${directory} ...`);
      const application = await runStart(readConfig(demoEnvironment(process.env, directory, port)));
      try {
        const { agrees } = await runDemo(application.run, options, print);
        if (agrees && !options.exit) print("\nIt stays up; Ctrl-C ends it and deletes the directory.");
        else await application.stop(agrees ? 0 : 1);
      } catch (failure) {
        // Also when a signal has stopped it meanwhile: its parts must end before the process does.
        console.error(await printedFailure(failure));
        await application.stop(1);
      }
    });
}

/** The settings of the demo: of a shell's environment, none that names other stores, addresses or tokens. */
export function demoEnvironment(
  { HOST, LOG_LEVEL = "warn" }: NodeJS.ProcessEnv,
  directory: string,
  port: string,
): NodeJS.ProcessEnv {
  const host = HOST === undefined ? {} : { HOST };
  return { ...host, LOG_LEVEL, RATE_LIMITS: "off", DATA_DIR: directory, PORT: port };
}

interface DemoFlags {
  readonly exit: boolean;
  readonly allRows: boolean;
  readonly seed: number;
  readonly devices: number;
  readonly visits: number;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once("error", () => resolve(false))
      .listen(port, () => probe.close(() => resolve(true)));
  });
}
