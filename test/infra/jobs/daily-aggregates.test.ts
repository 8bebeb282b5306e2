import { suite } from "uvu";
import * as assert from "uvu/assert";
import { countDays, type DayToCount } from "../../../infra/jobs/daily-aggregates.ts";

const counting = suite("counting the facts of days");
const everySecond = "* * * * * *";
const monday = { app_id: 1, local_date: "2026-03-02" };
const tuesday = { app_id: 1, local_date: "2026-03-03" };

/** Answers what was counted and logged while the looks found these days, one after the other. */
async function afterLooks(
  looks: readonly (readonly DayToCount[])[],
  count: (day: DayToCount) => Promise<void> = async () => {},
) {
  const counted: DayToCount[] = [];
  const logged: unknown[] = [];
  const stopping = new AbortController();
  const left = [...looks];
  await countDays(
    {
      due: async () => {
        const days = left.shift();
        if (days === undefined) stopping.abort();
        return days ?? [];
      },
      count: async (day) => {
        counted.push(day);
        await count(day);
      },
      log: { warn: (...said: unknown[]) => logged.push(said) } as never,
      at: everySecond,
    },
    stopping.signal,
  );
  return { counted, logged };
}

counting("waits until a day has not changed between two looks", async () => {
  const looks = [
    [
      { ...monday, changes: 1n },
      { ...tuesday, changes: 1n },
    ],
    [
      { ...monday, changes: 1n },
      { ...tuesday, changes: 2n },
    ],
    [{ ...tuesday, changes: 2n }],
  ];
  const { counted } = await afterLooks(looks);
  assert.equal(counted, [
    { ...monday, changes: 1n },
    { ...tuesday, changes: 2n },
  ]);
});

counting("that fails is logged, and done at the next look", async () => {
  const failure = new Error("the database went away");
  const failures = [failure];
  const look = [{ ...monday, changes: 1n }];
  const { counted, logged } = await afterLooks([look, look, look], async () => {
    const thrown = failures.shift();
    if (thrown !== undefined) throw thrown;
  });
  assert.equal(counted, [...look, ...look]);
  assert.equal(logged, [[{ err: failure }, "days could not be counted; trying again at the next look"]]);
});

counting("ends at once when it is stopped", async () => {
  const stopping = new AbortController();
  stopping.abort();
  const never = async (): Promise<never> => {
    throw new Error("It looked all the same");
  };
  await countDays({ due: never, count: never, log: { warn: () => {} } as never }, stopping.signal);
});

counting.run();
