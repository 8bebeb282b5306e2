// time limit: 120 s
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runReport, uploadFile } from "../../client/index.ts";
import { addDays, daysBetween, localDate } from "../../domain/values/local-time.ts";
import { sharedData } from "../support/paths.ts";
import { runShop } from "../support/running-shop.ts";
import type { TestClient } from "../support/typed-client.ts";

const file = join(sharedData, "facebook-ad-spend.csv");
const timezone = "Europe/Berlin";

type Row = Readonly<Record<string, string>>;

interface Sums {
  readonly impressions: number;
  readonly clicks: number;
  /** Millionths: costs have at most 6 decimals. */
  readonly micros: number;
}

const test = suite("Real input: an ad-spend export of Meta Ads");

if (!existsSync(file)) {
  test.skip(`the report equals the file's own sums (skipped: ${file} is absent)`, () => {});
} else {
  test("the report equals the file's own sums by campaign, however often and in whatever parts it is sent", async () => {
    const rows = shiftedRows();
    const campaigns = sumsByCampaign(rows);
    const app = { name: "shop", timezone, currency: "USD", ownerEmail: "owner@shop.example" };
    const shop = await runShop({}, app);
    try {
      const owner = shop.application.client(shop.tokens.api);
      const range = rangeOf(rows);

      await succeed(owner, rows);
      assert.equal(await reported(owner, range), campaigns, "sent once");

      await succeed(owner, rows);
      assert.equal(await reported(owner, range), campaigns, "sent twice");

      const [gone = ""] = Object.keys(campaigns);
      await succeed(owner, zeroed(rows.filter(({ campaign }) => campaign === gone)));
      const { [gone]: _, ...rest } = campaigns;
      assert.equal(await reported(owner, range), rest, "one campaign deleted by zeros");
    } finally {
      await shop.end();
    }
  });
}

/** The file's rows, dates shifted so that the last one is yesterday. */
function shiftedRows(): readonly Row[] {
  const rows: readonly Row[] = parse<Row>(readFileSync(file), { columns: true, bom: true });
  const last =
    rows
      .map(({ date = "" }) => date)
      .sort()
      .at(-1) ?? "";
  const shift = daysBetween(last, localDate(timezone, Date.now())) - 1;
  return rows.map((row) => ({ ...row, date: addDays(row.date ?? "", shift) }));
}

function rangeOf(rows: readonly Row[]): { readonly from: string; readonly to: string } {
  const dates = rows.map(({ date = "" }) => date).sort();
  return { from: dates[0] ?? "", to: dates.at(-1) ?? "" };
}

/** Campaigns with a number above zero: others are in no report. */
function sumsByCampaign(rows: readonly Row[]): Readonly<Record<string, Sums>> {
  const sums: Record<string, Sums> = {};
  for (const { campaign = "", impressions, clicks, cost } of rows) {
    const sum = sums[campaign] ?? { impressions: 0, clicks: 0, micros: 0 };
    sums[campaign] = {
      impressions: sum.impressions + Number(impressions),
      clicks: sum.clicks + Number(clicks),
      micros: sum.micros + Math.round(Number(cost) * 1e6),
    };
  }
  const reported = Object.entries(sums).filter(
    ([, { impressions, clicks, micros }]) => impressions + clicks + micros > 0,
  );
  return Object.fromEntries(reported.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function zeroed(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => ({ ...row, impressions: "0", clicks: "0", cost: "0" }));
}

async function succeed(owner: TestClient, rows: readonly Row[]): Promise<void> {
  const content = stringify([...rows], { header: true });
  const { status, reason } = await uploadFile(owner, "ad_spend", { name: "facebook.csv", content });
  assert.equal({ status, reason }, { status: "succeeded", reason: null });
}

async function reported(
  owner: TestClient,
  range: { readonly from: string; readonly to: string },
): Promise<Readonly<Record<string, Sums>>> {
  const { pages } = await runReport(owner, "actuals", "shop", {
    ...range,
    groupBys: ["channel", "campaign"],
    metrics: ["cost_channel", "impressions_channel", "clicks_channel"],
    filters: [],
    sorts: [{ fieldName: "campaign", isAscending: true }],
  });
  return Object.fromEntries(
    pages.flatMap((page) =>
      page.actuals.data.rows.map(({ groupBys: [channel, campaign = ""], values }) => {
        assert.is(channel, "facebook.business");
        return [
          campaign,
          {
            impressions: values.impressions_channel?.value ?? 0,
            clicks: values.clicks_channel?.value ?? 0,
            micros: Math.round((values.cost_channel?.value ?? 0) * 1e6),
          },
        ];
      }),
    ),
  );
}

test.run();
