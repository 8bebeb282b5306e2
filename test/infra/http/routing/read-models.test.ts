import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReadModelGroup } from "../../../../infra/http/routing/route.ts";
import { everyRoute, nameOf } from "../../../support/every-route.ts";

/** Routes whose responses read one group of read models, by that group. All other routes read the log, or nothing. */
const readers: { readonly [group in ReadModelGroup]: readonly string[] } = {
  control: [
    "GET /admin/v1/apps",
    "GET /admin/v1/apps/:app_name",
    "GET /admin/v1/apps/:app_name/audit",
    "GET /admin/v1/apps/:app_name/conversion-values",
    "GET /admin/v1/apps/:app_name/conversion-values/decode",
    "GET /admin/v1/apps/:app_name/exports",
    "GET /admin/v1/apps/:app_name/report-tasks",
    "POST /admin/v1/apps/:app_name/report-tasks/:task_id/explain",
    "GET /admin/v1/apps/:app_name/tokens",
    "GET /admin/v1/apps/:app_name/uploads/:requestId/file",
    "GET /admin/v1/apps/:app_name/webhooks",
    "GET /admin/v1/apps/:app_name/webhooks/:webhook_id",
    "GET /admin/v1/apps/:app_name/webhooks/:webhook_id/deliveries",
    "POST /admin/v1/apps/:app_name/webhooks/:webhook_id/test",
    "POST /admin/v1/apps/:app_name/webhooks/deliveries/:delivery_id/retry",
    "GET /admin/v1/channels",
    "GET /custom-data-upload/v1.0/cost/requests",
    "GET /custom-data-upload/v1.0/cost/requests/:request_id",
    "GET /log-export/api/v3/apps/:app_name/request/:report_id",
    "GET /reports/api/v3/apps/:app_name/revenue/query/:task_id",
    "GET /reports/api/v4/apps/:app_name/active-users/query/:task_id",
    "GET /reports/api/v5/apps/:app_name/retention/query/:task_id",
    "GET /reports/api/v7/apps/:app_name/actuals/query/:task_id",
    "GET /self-serve-data/v1/ad-spend/requests",
    "GET /self-serve-data/v1/ad-spend/requests/:request_id",
    "GET /self-serve-data/v1/metric/requests",
    "GET /self-serve-data/v1/metric/requests/:request_id",
    "GET /skadnetwork/conversion-bit-config/v4",
    "GET /skadnetwork/v1/conversion-value-schema",
    "GET /v1/tracking-links/:id",
    "GET /v1/tracking-links/:id/history",
    "GET /v1/tracking-links/:id/qr",
  ],
  facts: [
    "GET /admin/v1/apps/:app_name/attribution-rules",
    "GET /admin/v1/apps/:app_name/attributions",
    "GET /admin/v1/apps/:app_name/attributions/:event_id",
    "GET /admin/v1/apps/:app_name/uploads/rows",
    "GET /admin/v1/exchange-rates",
    "GET /dataspec/v2/apps/:app_name/actual-report/metrics",
    "GET /dataspec/v2/apps/:app_name/values",
    "POST /entry/inference/v1/context",
    "POST /v1/tracking-links/open",
  ],
};

/** Routes that read both: what they do not find is in the first group. */
const readersOfBoth: { readonly [route: string]: readonly (readonly [query: unknown, ...ReadModelGroup[]])[] } = {
  "GET /admin/v1/apps/:app_name/uploads/:requestId/history": [[{}, "control", "facts"]],
  "GET /v1/tracking-links": [
    [{}, "control"],
    [{ stats: false }, "control"],
    [{ stats: true }, "control", "facts"],
  ],
};

const reading = suite("the read models of a route");

reading("are of the group that its X-Min-Position waits for", () => {
  const ofOne = everyRoute.filter(({ alsoReads }) => alsoReads === undefined);
  const readersOf = (group: ReadModelGroup) => ofOne.filter(({ reads }) => reads === group).map(nameOf);
  assert.equal(
    { control: readersOf("control").sort(), facts: readersOf("facts").sort() },
    { control: readers.control.toSorted(), facts: readers.facts.toSorted() },
  );
});

reading("are of both groups where the query makes it read both", () => {
  const ofBoth = everyRoute.filter(({ alsoReads }) => alsoReads !== undefined);
  const found = ofBoth.map((route) => {
    const name = nameOf(route);
    const queries = readersOfBoth[name] ?? [];
    const groupsFor = (query: unknown) => [route.reads, route.alsoReads?.(query as undefined) ?? null];
    return [name, queries.map(([query]) => [query, ...groupsFor(query).filter((group) => group !== null)])] as const;
  });
  assert.equal(Object.fromEntries(found), readersOfBoth);
});

reading.run();
