import { parseArgs } from "node:util";
import { torture } from "./torture.ts";

/**
 * `npm run torture [-- --seconds 120 --workers 2 --seed 1]`: kills, freezes and cuts while clients visit links and send app
 * events. Exit 1 when anything acknowledged is lost or counted twice, or an answer is late.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    workers: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [seconds, workers, seed] = [Number(values.seconds), Number(values.workers), Number(values.seed)];
if (!(seconds >= 1 && workers >= 1 && Number.isInteger(workers) && Number.isInteger(seed))) {
  throw new RangeError("--seconds and --workers are at least 1, --workers and --seed whole numbers.");
}
console.log(`seed ${seed}, ${seconds} s, ${workers} processes`);
const result = await torture({ seed, seconds, workers, print: console.log });
const { clicks, events, failures, faults } = result;
const breaches = [...result.late, ...result.breaches];
console.log(`${faults} faults, ${clicks} clicks and ${events} events acknowledged, ${failures} requests failed`);
console.log(breaches.length === 0 ? "Everything acknowledged is counted once." : `Breaches:\n${breaches.join("\n")}`);
process.exit(breaches.length === 0 ? 0 : 1);
