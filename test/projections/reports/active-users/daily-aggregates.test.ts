// time limit: 120 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { aggregateDays, noteChangedDays } from "../aggregate-days.ts";
import type { AppEvent } from "../facts.ts";
import { twitter } from "../masking/networks.ts";
import { activeUsersReport, did, groupsOf, openActiveUsersFacts } from "./examples.ts";
import { aHistory } from "./generated.ts";

const facts = await openActiveUsersFacts();
const { db } = facts;
const histories = 40;

const aggregated = suite("active users over aggregated days");
aggregated.after(() => facts.close());

for (const granularity of ["day", "week", "month"] as const) {
  aggregated(
    `are by ${granularity} what they are without the counts, at every position: ${histories} histories`,
    async () => {
      await fc.assert(
        fc.asyncProperty(aHistory(1, granularity, 12), fc.boolean(), async ({ events, question }, areAllCounted) => {
          const schema = await facts.write({ appEvents: events });
          await noteChangedDays(db, schema);
          const { query, position: _, ...more } = question;
          const reports = [1n, 5n, 9n].map((position) => activeUsersReport(query, { ...more, position }));
          const answered = async () => {
            const results = [];
            for (const report of reports) results.push(await facts.run(schema, report));
            return results;
          };
          const before = await answered();
          await aggregateDays(db, schema, (date) => areAllCounted || Number(date.slice(-2)) % 2 === 0);
          assert.equal(await answered(), before, JSON.stringify({ question, events }));
          facts.release(schema);
        }),
        { numRuns: histories, endOnFailure: true },
      );
    },
  );
}

const [monday, tuesday] = ["2026-03-02", "2026-03-03"];
const users = (more: object = {}) => activeUsersReport({ metrics: ["app_au"], ...more });

/** A schema with all its days aggregated and none of its facts left: who answers from it has read the aggregates. */
async function onlyCounts(appEvents: readonly AppEvent[]): Promise<string> {
  const schema = await facts.write({ appEvents });
  await noteChangedDays(db, schema);
  await aggregateDays(db, schema);
  await db.raw(`delete from ${schema}.app_events`);
  return schema;
}

aggregated("are read fact by fact by the hour alone", async () => {
  const schema = await onlyCounts([did("app_open", `${monday}T10:00`, 1), did("app_open", `${tuesday}T10:00`, 1)]);
  assert.equal(groupsOf(await facts.run(schema, users({ granularity: "hour" }))), [[[]]], "nothing of any hour");
  assert.equal(groupsOf(await facts.run(schema, users())), [[[], [0, ["1"]], [1, ["1"]]]]);
});

aggregated("count a device once in a group, whatever it did", async () => {
  const schema = await onlyCounts(["app_open", "app_sign_in"].map((category) => did(category, `${monday}T10:00`, 1)));
  const ofGroup = users({ groupBys: ["is_first_event_per_device_id"] });
  assert.equal(groupsOf(await facts.run(schema, ofGroup)), [[["true"], [0, ["1"]]]]);
});

aggregated("do not name a group whose events are all withheld", async () => {
  const at = `${monday}T10:00`;
  const label = { source: twitter, kind: "click" } as const;
  const clientOf = (device_model: string) => ({ os_name: null, country: null, device_model });
  const schema = await onlyCounts([
    did("app_open", at, 1, { label, client: clientOf("secret") }),
    did("app_open", at, 2, { client: clientOf("phone") }),
  ]);
  assert.equal(groupsOf(await facts.run(schema, users({ groupBys: ["device_model"] }))), [
    [["phone"], [0, ["1"]]],
    [[null]],
  ]);
});

aggregated.run();
