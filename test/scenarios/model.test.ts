// time limit: 1800 s
import fc from "fast-check";
import { suite } from "uvu";
import { startApplicationInProcess } from "./model/application-in-process.ts";
import { sequence } from "./model/commands.ts";
import { requireSame } from "./model/oracle.ts";
import { emptyReference } from "./model/reference.ts";
import { openSession } from "./model/session.ts";

const sequences = Number(process.env.MODEL_SEQUENCES ?? 16);
const seed = Number(process.env.MODEL_SEED ?? 1);
const maxCommands = 50;
/** Sequences that run at the same time on one application: what crashes or fails in one happens to all. */
const lanes = Math.min(sequences, 16);

type Steps = ReturnType<typeof sequence> extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const model = suite("any sequence of commands, crashes, restarts and failed appends");

model("behaves like a reference in memory", async () => {
  const application = await startApplicationInProcess();
  let commands = 0;
  const failures: unknown[] = [];
  const run = async (steps: Steps): Promise<void> => {
    if (failures.length > 0) return;
    const session = await openSession(application);
    const reference = emptyReference();
    await fc.asyncModelRun(() => ({ model: reference, real: session }), steps);
    await requireSame(reference, session);
    commands += String(steps).split(",").length;
  };
  const runLane = (_: unknown, lane: number) =>
    fc
      .assert(fc.asyncProperty(sequence(maxCommands), run), {
        seed: seed + lane,
        numRuns: Math.ceil(sequences / lanes),
        endOnFailure: true,
        includeErrorInReport: true,
      })
      .catch((failure: unknown) => failures.push(failure));
  await Promise.all(Array.from({ length: lanes }, runLane));
  await application.close();
  const { crashes, restarts, failedAppends } = application.counts;
  const faults = `${crashes} crashes, ${restarts} restarts, ${failedAppends} failed appends`;
  console.log(`${sequences} sequences, ${commands} commands, ${faults}, seed ${seed}`);
  if (failures.length > 0) throw failures[0];
});

model.run();
