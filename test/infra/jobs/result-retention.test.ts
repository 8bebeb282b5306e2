import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ReportKeeping, startReportKeeping } from "../../../infra/jobs/result-retention.ts";

const keeping = suite("dropping reports that are forgotten");
const now = new Date("2026-03-31T00:00:00.000Z");

/** What is logged, and what resolves once `count` things are. */
function journal() {
  const logged: unknown[] = [];
  let told = (): void => {};
  const tell = (level: string) => (fields: unknown, message?: string) => {
    logged.push([level, fields, message]);
    told();
  };
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      told = () => {
        if (logged.length >= count) resolve();
      };
      told();
    });
  const log = { info: tell("info"), warn: tell("warn") } as unknown as ReportKeeping["log"];
  return { logged, log, until };
}
const dropped = "dropped the rows of reports that have expired";

keeping("is done at start, by the clock", async () => {
  const { logged, log, until } = journal();
  const clocks: Date[] = [];
  const drop = async (clock: Date): Promise<number> => clocks.push(clock);
  const { stop } = startReportKeeping({ drop, log, now: () => now });
  await until(1);
  await stop();
  assert.equal(clocks, [now]);
  assert.equal(logged, [["info", { dropped: 1 }, dropped]]);
});

keeping("is done again whenever its time comes", async () => {
  const { log, until } = journal();
  const { stop } = startReportKeeping({ drop: async () => 0, log, now: () => now, at: "* * * * * *" });
  await until(3);
  await stop();
});

keeping("that fails is logged, and tried again until it is done", async () => {
  const { logged, log, until } = journal();
  const failures = [new Error("the database went away"), new Error("it is still away")];
  const left = [...failures];
  const drop = async (): Promise<number> => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return 7;
  };
  const { stop } = startReportKeeping({ drop, log, now: () => now, retryMs: 1 });
  await until(3);
  await stop();
  const failed = "the rows of expired reports could not be dropped; trying again";
  assert.equal(logged, [...failures.map((err) => ["warn", { err }, failed]), ["info", { dropped: 7 }, dropped]]);
});

keeping("stops while it waits to try again", async () => {
  const { log, until } = journal();
  const drop = async (): Promise<number> => {
    throw new Error("the database went away");
  };
  const { stop } = startReportKeeping({ drop, log, now: () => now, retryMs: 3_600_000 });
  await until(1);
  await stop();
});

keeping.run();
