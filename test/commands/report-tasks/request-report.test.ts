import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shop } from "../../examples/app.ts";
import { noUploads } from "../../projections/reports/uploads.ts";
import type { Answer } from "../../support/client.ts";
import { clicksByCampaign, type Reports, startReports } from "./reports.ts";

let reports: Reports;
const requesting = suite("requesting an actuals report");
requesting.before(async () => {
  reports = await startReports();
  const categories = [
    { appId: shop.appId, category: "Store visits", archived: false },
    { appId: shop.appId, category: "Leads", archived: true },
    { appId: shop.appId, category: "Calls to us", archived: false },
    { appId: 2, category: "Calls", archived: false },
  ];
  await reports.writeFacts({ touchpoints: [], appEvents: [], uploads: { ...noUploads, categories } });
});
requesting.after(() => reports.close());

const filter = { dimension: "channel", filterType: "IN", values: ["a"] };

const faultsOf = ({ json }: Answer) =>
  (json as { errors: { loc: (string | number)[]; type: string }[] }).errors.map(({ loc, type }) => [...loc, type]);

requesting("accepts metrics that the app has uploaded and not archived", async () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ["Store visits", true],
    ["Leads", false],
    ["Calls", false],
  ];
  for (const [metric, isAccepted] of cases) {
    const answer = await reports.request({ ...clicksByCampaign, metrics: ["clicks", metric] });
    assert.is(answer.status, isAccepted ? 200 : 400, metric);
    if (!isAccepted) assert.equal(faultsOf(answer), [["body", "metrics", 1, "not_allowed"]]);
  }
});

requesting("lets a report run whose metric is archived after it was requested", async () => {
  const query = { ...clicksByCampaign, groupBys: [], metrics: ["Calls to us"] };
  const taskId = await reports.requested(query);
  await reports.archiveMetric("Calls to us");
  await reports.runUntil(async () => (await reports.read(taskId)).text.includes('"SUCCESS"'));
  assert.match((await reports.read(taskId)).text, /"values":{"Calls to us":{"value":0,/);
  assert.equal(faultsOf(await reports.request(query)), [["body", "metrics", 0, "not_allowed"]]);
});

requesting("takes 256 KiB and no more", async () => {
  const withValues = (bytes: number): object => {
    const body = { ...clicksByCampaign, filters: [{ ...filter, values: [""] }] };
    const padding = "x".repeat(bytes - JSON.stringify(body).length);
    return { ...body, filters: [{ ...filter, values: [padding] }] };
  };
  assert.is((await reports.request(withValues(256 * 1024))).status, 200);
  assert.is((await reports.request(withValues(256 * 1024 + 1))).status, 413);
});

requesting.run();
