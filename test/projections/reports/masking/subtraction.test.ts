import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { metrics as catalogue } from "../../../../domain/reporting/catalogue/catalogue.ts";
import { filterTypes } from "../../../../domain/reporting/limits.ts";
import { type ActualsResult, actualsComputation } from "../../../../projections/reports/actuals/run.ts";
import { computeAndStore } from "../../../../projections/reports/results/report-computation.ts";
import { storedResults } from "../../../../projections/reports/results/result-pages.ts";
import { createReportStore } from "../../../../projections/reports/results/stored-rows.ts";
import { exampleUuid } from "../../../examples/recorded-log.ts";
import { ask, openFacts } from "../actuals/advertising.ts";
import { type ReferenceQuestion, reportTime } from "../actuals/reference.ts";
import type { Facts } from "../facts.ts";
import { twoWorlds } from "./two-worlds.ts";

const schemas = await openFacts();
const { db, run } = schemas;

const range = { from: "2026-02-27", to: "2026-03-02" };
const dates = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"];
const everyMetric = [...Object.keys(catalogue), "custom:level_up", "custom_users:level_up"];
const someMetrics = ["impressions", "clicks", "ctr", "app_events", "app_events_users", "app_event_value"].concat([
  "app_installs",
  "app_attributed_installs",
  "app_first_installs_users",
  "app_revenue",
  "cost_channel",
  "cpi",
  "roas",
]);
const keys = ["event_date", "event_hour", "event_name", "channel", "campaign", "os_name", "currency"].concat([
  "event_month",
  "is_first_event_per_device_id",
]);
/** By dimension: what to filter by. */
const filtered: { readonly [dimension: string]: readonly (readonly string[])[] } = {
  channel: [["twitter"], ["partner"], ["tiktok", "friends", "unattributed"], ["t*t"]],
  campaign: [["spring"], [""]],
  event_date: [["2026-03-01"], ["*-03-*"]],
};
const filters = Object.entries(filtered).flatMap(([dimension, lists]) =>
  filterTypes.flatMap((filterType) => {
    const told = filterType.endsWith("EXIST") ? [[]] : lists;
    return told.map((values) => ({ dimension, filterType, values }));
  }),
);

const asking = (query: Partial<ReferenceQuestion["query"]>, more: Partial<ReferenceQuestion> = {}) => {
  return { ...ask({ ...range, metrics: someMetrics, ...query }), ...more };
};

/** What an attacker would ask. */
const attacks: { readonly [name: string]: readonly ReferenceQuestion[] } = {
  "totals and groupings by one key or two": [
    asking({ metrics: everyMetric }),
    ...keys.map((key) => asking({ groupBys: [key] })),
    ...pairsOf(keys).map((groupBys) => asking({ groupBys })),
  ],
  "groupings by three keys": pairsOf(keys).flatMap((pair) =>
    keys.filter((key) => key > (pair[1] ?? "")).map((key) => asking({ groupBys: [...pair, key] })),
  ),
  "filters by every operator": filters.flatMap((filter) => [
    asking({ filters: [filter] }),
    asking({ filters: [filter], groupBys: ["channel", "event_date"] }),
  ]),
  "ranges that begin and end inside a month": dates.flatMap((from) =>
    dates
      .filter((to) => from <= to)
      .flatMap((to) => [asking({ from, to }), asking({ from, to, groupBys: ["channel", "campaign"] })]),
  ),
  "every position, and several instants": [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((position) =>
    ["2026-03-02", "2026-08-23", "2026-09-30"].map((day) => {
      return asking({ groupBys: ["channel", "event_date"] }, { position, now: new Date(`${day}T00:00:00Z`) });
    }),
  ),
  "what media partners may see": [["twitter"], ["tiktok", "partner"], ["friends", "unattributed"], ["kakao"]].flatMap(
    (onlyChannels) => [asking({}, { onlyChannels }), asking({ groupBys: ["channel", "event_date"] }, { onlyChannels })],
  ),
  "what rows are sorted by": someMetrics.flatMap((fieldName) =>
    [true, false].map((isAscending) =>
      asking({ groupBys: ["campaign", "event_date"], sorts: [{ fieldName, isAscending }] }),
    ),
  ),
};

/** Each attack has a history of its own, another in every run. */
const histories = 1;

const subtraction = suite("what is withheld");
subtraction.after(() => schemas.close());

for (const [name, questions] of Object.entries(attacks)) {
  subtraction(`is not told by ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(twoWorlds, async ({ one, other }) => {
        const [in1, in2] = [await schemas.write(one), await schemas.write(other)];
        for (const question of questions) {
          const [answer, same] = await Promise.all([run(in1, question), run(in2, question)]);
          assert.is(JSON.stringify(answer), JSON.stringify(same), JSON.stringify(question));
        }
        for (const schema of [in1, in2]) schemas.release(schema);
      }),
      { numRuns: histories, endOnFailure: true },
    );
  });
}

subtraction("is not told by pages and keywords of a stored result", async () => {
  await createReportStore(db);
  const worlds = fc.sample(twoWorlds, 1).flatMap(({ one, other }) => [one, other]);
  const pages = await Promise.all(
    worlds.map(async (facts, world) => {
      const schema = await schemas.write(facts);
      const taskId = exampleUuid("report", world);
      const question = asking({ groupBys: ["channel", "campaign", "event_name"] });
      const task = {
        ...reportTime,
        ...question,
        position: BigInt(question.position),
        report: "actuals" as const,
        taskId,
      };
      const ended = await computeAndStore(
        actualsComputation,
        { db, schema },
        db,
        task,
        async () => undefined,
        new AbortController().signal,
      );
      const count = ended.outcome === "stored" ? ended.rowCount : 0;
      const requested = ["", "twitter", "t", "봄", "app_install"].flatMap((keyword) =>
        [0, 1, 2, 5, 20].map((skip) => ({ skip, size: 3, keyword })),
      );
      return [ended, await Promise.all(requested.map((page) => storedResults(db).page(taskId, count, page)))];
    }),
  );
  assert.is(pages.length, 2);
  assert.equal(pages[0], pages[1]);
});

subtraction("is in no value: they are those of a history that never had it", async () => {
  await fc.assert(
    fc.asyncProperty(twoWorlds, async ({ one, without }) => {
      const [had, hadNot] = [await schemas.write(one), await schemas.write(without)];
      for (const question of attacks["totals and groupings by one key or two"] ?? []) {
        const [answer, expected] = await Promise.all([run(had, question), run(hadNot, question)]);
        assert.equal(shownIn(answer), shownIn(expected), JSON.stringify(question));
      }
      for (const schema of [had, hadNot]) schemas.release(schema);
    }),
    { numRuns: histories, endOnFailure: true },
  );
});

subtraction("would be told by the same questions if the channels were no networks", async () => {
  await fc.assert(
    fc.asyncProperty(twoWorlds, async ({ one, other }) => {
      const [in1, in2] = [await schemas.write(shown(one)), await schemas.write(shown(other))];
      const totals = [await run(in1, asking({})), await run(in2, asking({}))];
      for (const schema of [in1, in2]) schemas.release(schema);
      assert.is.not(JSON.stringify(totals[0]?.rows), JSON.stringify(totals[1]?.rows));
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

subtraction.run();

/** The history, its channels being no networks. */
function shown(facts: Facts): Facts {
  const channels = ["twitter", "tiktok", "friends"];
  return {
    ...facts,
    channelFlags: channels.map((channel) => ({ channel, selfAttributing: false, from: 1, to: null })),
  };
}

/** Rows with something in them, nothing being nothing whether it was withheld or never there. */
function shownIn({ rows }: ActualsResult): { readonly [groupBys: string]: readonly string[] } {
  return Object.fromEntries(
    rows
      .map(({ groupBys, values: cells }) => [JSON.stringify(groupBys), cells.map((value) => value ?? "0")] as const)
      .filter(([, cells]) => cells.some((value) => value !== "0"))
      .sort(),
  );
}

function pairsOf(of: readonly string[]): readonly (readonly string[])[] {
  return of.flatMap((first) => of.filter((second) => second > first).map((second) => [first, second]));
}
