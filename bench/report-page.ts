import { randomUUID } from "node:crypto";
import { createClient, followReport, requestReport } from "../client/index.ts";
import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import type { TestClient } from "../test/support/typed-client.ts";
import { type BenchLine, below } from "./support/bench-line.ts";

const rows = 10_000;
const perRequest = 500;
const pageSize = 100;
const requests = 101;
const maxMs = 10;
const timeoutMs = 120_000;

/**
 * Median time of a GET of one page, over HTTP, of a report with the maximum number of rows. `createClient` is used
 * because, unlike the clients of tests, it does not check responses.
 */
export async function benchReportPage(): Promise<BenchLine> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { api } = await registerApp(application.operator);
    const owner = application.client(api);
    await clickOnCampaigns(owner);
    const day = new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 15 * 3_600_000).toISOString().slice(0, 10);
    const query = { from: yesterday, to: day, groupBys: ["campaign"], metrics: ["clicks"], filters: [], sorts: [] };
    const report = await requestReport(owner, "actuals", "shop", query);
    const { status } = await followReport(owner, report, () => {}, timeoutMs);
    if (status !== "SUCCESS") throw new Error(`The report ended as ${status}`);
    const reader = createClient({ baseUrl: application.run.baseUrl, token: api });
    const times: number[] = [];
    for (let page = 0; page < requests; page += 1) {
      const since = performance.now();
      const response = await reader.call("GET", `${report.path}?skip=${(page * pageSize) % rows}&size=${pageSize}`);
      await response.text();
      times.push(performance.now() - since);
    }
    const median = times.sort((one, other) => one - other)[Math.floor(requests / 2)] ?? 0;
    const path = `GET of ${pageSize} rows of a report with ${rows}, median`;
    return below(maxMs, { path, measured: median, unit: "ms" });
  } finally {
    await application.stop();
    await directory.remove();
  }
}

/** Records one click for each of as many campaigns as a result can have rows. */
async function clickOnCampaigns(owner: TestClient): Promise<void> {
  const timestamp = new Date(Date.now() - 60_000).toISOString();
  for (let first = 0; first < rows; first += perRequest) {
    const touchpoints = Array.from({ length: perRequest }, (_, index) => ({
      touchpointId: randomUUID(),
      kind: "click",
      timestamp,
      channel: "newsletter",
      campaignParams: { campaign: `campaign ${first + index}` },
    }));
    await owner.send("POST", "/events/v1/apps/shop/touchpoints", { touchpoints });
  }
}
