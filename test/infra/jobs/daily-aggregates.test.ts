import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type DayToAggregate, dailyAggregates } from "../../../infra/jobs/daily-aggregates.ts";

const counting = suite("days whose facts are aggregated");
const attempt = { signal: new AbortController().signal, epoch: 1n };
const day = { app_id: 1, local_date: "2026-03-02" };

counting("are those that have not changed for a minute", async () => {
  let now = 0;
  let due: readonly DayToAggregate[] = [];
  const reactor = dailyAggregates({ dueDays: async () => due, aggregate: async () => {}, elapsed: () => now });
  const openAfter = async (ms: number, ...changes: readonly bigint[]) => {
    now += ms;
    due = changes.map((one) => ({ ...day, changes: one }));
    return reactor.open(1);
  };
  const open = [{ appId: 1, day: { ...day, changes: 1n } }];
  const aggregated = () => reactor.open(1).then(([work]) => work && reactor.act(work, attempt));
  assert.equal(await openAfter(0, 1n), []);
  assert.equal(await openAfter(59_999, 1n), []);
  assert.equal(await openAfter(1, 1n), open);
  await aggregated();
  assert.equal(await openAfter(0, 2n), [], "changed");
  assert.equal(await openAfter(60_000), [], "counted");
  assert.equal(await openAfter(0, 1n), [], "changed again");
  assert.equal(await openAfter(60_000, 1n), open);
});

counting("are the oldest of those that are due, as many as the reactor takes", async () => {
  let now = 0;
  const due = ["2026-03-02", "2026-03-03", "2026-03-04"].map((date) => ({ ...day, local_date: date, changes: 1n }));
  const reads: number[] = [];
  const dueDays = async (max: number) => {
    reads.push(max);
    return due.slice(0, max);
  };
  const reactor = dailyAggregates({ dueDays, aggregate: async () => {}, elapsed: () => now });
  assert.equal(await reactor.open(2), []);
  now += 60_000;
  assert.equal(
    (await reactor.open(2)).map(({ day: { local_date } }) => local_date),
    ["2026-03-02", "2026-03-03"],
  );
  assert.equal(reads, [2, 2]);
});

counting("are read once for all that are at rest, and again after a minute", async () => {
  let now = 0;
  let reads = 0;
  const due = ["2026-03-02", "2026-03-03"].map((date) => ({ ...day, local_date: date, changes: 1n }));
  const dueDays = async () => {
    reads += 1;
    return due;
  };
  const reactor = dailyAggregates({ dueDays, aggregate: async () => {}, elapsed: () => now });
  const openAfter = async (ms: number) => {
    now += ms;
    return [(await reactor.open(2)).map(({ day: { local_date } }) => local_date), reads];
  };
  assert.equal(await openAfter(0), [[], 1]);
  assert.equal(await openAfter(60_000), [["2026-03-02", "2026-03-03"], 2]);
  const [first] = await reactor.open(2);
  if (first) await reactor.act(first, attempt);
  assert.equal(await openAfter(59_999), [["2026-03-03"], 2]);
  assert.equal(await openAfter(1), [["2026-03-02", "2026-03-03"], 3]);
});

counting.run();
