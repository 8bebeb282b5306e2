import { parseArgs } from "node:util";
import { torture } from "./torture.ts";
import { conclude } from "./verdict.ts";

/**
 * `npm run torture [-- --seconds 120 --workers 2 --seed 1]`: faults while clients visit links and send app events. Exit 1 when
 * anything acknowledged is lost or counted twice, or an answer is late. Every size is an option: see CONTRIBUTING.md.
 */
const defaults = {
  seconds: 120,
  workers: 2,
  clients: 4,
  batch: 5,
  reports: 3,
  "fault-seconds": 4,
  "pause-seconds": 3,
  seed: Date.now() % 1_000_000,
};

const names = [...Object.keys(defaults), "faults"];
const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" } as const])) });
const numberOf = (name: keyof typeof defaults): number => {
  const number = Number(values[name] ?? defaults[name]);
  if (!Number.isSafeInteger(number) || (number < 1 && name !== "seed")) {
    throw new RangeError(`--${name} is a whole number of at least 1; it is "${values[name]}".`);
  }
  return number;
};
const [seconds, workers, seed] = [numberOf("seconds"), numberOf("workers"), numberOf("seed")];
console.log(`seed ${seed}, ${seconds} s, ${workers} processes`);
const { faults, failures, evidence } = await torture({
  ...{ seconds, workers, seed },
  ...{ clients: numberOf("clients"), eventsOfBatch: numberOf("batch"), reports: numberOf("reports") },
  ...{ maxFaultMs: numberOf("fault-seconds") * 1000, maxPauseMs: numberOf("pause-seconds") * 1000 },
  kinds: values.faults?.split(",") ?? [],
  print: console.log,
});
console.log(
  `${faults.length} faults, ${evidence.clicks.size} clicks and ${evidence.events.size} events acknowledged, ` +
    `${failures} requests failed, ${evidence.reports.length} reports compared, ${evidence.backups.length} backups restored, ` +
    `${evidence.poisoned.size} events of a wrong shape`,
);
process.exit(conclude(evidence, console.log));
