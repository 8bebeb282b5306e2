// time limit: 120 s
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { granularities } from "../../../../domain/reporting/granularity.ts";
import type { SucceededTaskOf } from "../../../../projections/report-tasks/queries.ts";
import { activeUsersPage } from "../../../../read-api/report-tasks/active-users/formats.ts";
import { ratesOf } from "../actuals/advertising.ts";
import { activeUsersReport, openActiveUsersFacts } from "./examples.ts";
import { aHistory, aRate } from "./generated.ts";
import { type ActiveUsersQuestion, referenceAnswer } from "./reference.ts";

const facts = await openActiveUsersFacts();
const histories = 100;
const historiesAtOnce = 25;

/** Every interval of a report as its GET answers it, and the codes of its notifications. */
async function answered(schema: string, appId: number, question: ActiveUsersQuestion) {
  const { query, position, ...more } = question;
  const report = activeUsersReport(query, { ...more, appId, position: BigInt(position) });
  const { rows, notifications } = await facts.run(schema, report);
  const stored = rows.map(({ groupBys, ...cells }) => ({ groupBys, cells: JSON.stringify(cells) }));
  const task = { query, position: report.position, stage: "succeeded", notifications, endedAt: new Date(0) };
  const whole = { skip: 0, size: Number.MAX_SAFE_INTEGER };
  async function* chunks() {
    yield stored;
  }
  let text = "";
  const succeeded = task as unknown as SucceededTaskOf<"active_users">;
  for await (const piece of activeUsersPage(succeeded, chunks(), question.timezone, whole)) text += piece;
  return { ...JSON.parse(text).activeUsers, codes: notifications.map(({ code }) => code) };
}

/** Gives every app the sources and clients that the first has. */
async function shareDimensions(schema: string): Promise<void> {
  for (const table of ["sources", "clients"]) {
    await facts.db.raw(
      `insert into ${schema}.${table}
       select (jsonb_populate_record(known, jsonb_build_object('app_id', app.app_id))).*
       from ${schema}.${table} as known, generate_series(2, ${historiesAtOnce}) as app (app_id)
       where known.app_id = 1
       on conflict do nothing`,
    );
  }
}

const active = suite("active users of generated histories");
active.after(() => facts.close());

for (const granularity of granularities) {
  active(`are by ${granularity} what a plain reading gives, event by event: ${histories} histories`, async () => {
    const someHistories = fc.tuple(
      ...Array.from({ length: historiesAtOnce }, (_, index) => aHistory(index + 1, granularity)),
    );
    await fc.assert(
      fc.asyncProperty(someHistories, aRate, async (all, rate) => {
        const schema = await facts.write({
          appEvents: all.flatMap(({ events }) => events),
          uploads: { rates: ratesOf(rate.date, "EUR", { KRW: String(rate.won) }, rate.from) },
        });
        await shareDimensions(schema);
        for (const [index, { events, question }] of all.entries()) {
          const found = await answered(schema, index + 1, question);
          assert.equal(found, referenceAnswer(events, question, rate), JSON.stringify({ question, events, rate }));
        }
        facts.release(schema);
      }),
      { numRuns: histories / historiesAtOnce, endOnFailure: true },
    );
  });
}

active.run();
