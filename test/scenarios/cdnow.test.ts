// time limit: 300 s
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, daysBetween, localDate, startOfDay } from "../../domain/local-time.ts";
import type { ApiClient } from "../../infra/api-client/api-client.ts";
import { runReport } from "../../infra/api-client/report-tasks.ts";
import { createLinks, pushAppEvents, pushTouchpoints } from "../../infra/demo/push.ts";
import { seededRandom } from "../../infra/demo/random.ts";
import type { SimulatedAppEvent, SimulatedTouchpoint } from "../../infra/demo/simulation.ts";
import { type House, startHouse, temporaryDirectory } from "../house.ts";

const file = fileURLToPath(new URL("../../../shared/data/cdnow.csv", import.meta.url));
const timezone = "America/New_York";
const hour = 3_600_000;

interface CdnowRow {
  readonly customer_id: string;
  readonly date: string;
  readonly amount_usd: string;
}

interface Purchase {
  readonly customer: string;
  readonly date: string;
  readonly cents: number;
}

/** Customers belong to links by a fixed rule: by the remainder of their number; the last remainder belongs to none. */
const campaigns = ["alpha", "beta", "gamma"];
const linkOf = (customer: string): number | null => {
  const remainder = Number(customer) % (campaigns.length + 1);
  return remainder < campaigns.length ? remainder : null;
};

interface Sums {
  readonly installs: number;
  readonly orders: number;
  readonly cents: number;
}

const test = suite("Real input: the CDNOW purchase history");

if (!existsSync(file)) {
  test.skip(`the reports equal the file's own sums (skipped: ${file} is absent)`, () => {});
} else {
  test("the reports equal the file's own sums by month, by campaign and in total, to the cent", async () => {
    const purchases = shiftedPurchases();
    const directory = await temporaryDirectory();
    const house = await startHouse(directory.path);
    try {
      const owner = await replay(house, purchases);
      const months = sumsBy(purchases, ({ date }) => date.slice(0, 7));
      const reported: Record<string, Sums> = {};
      for (const month of Object.keys(months)) reported[month] = await reportedMonth(owner, month);
      assert.equal(reported, months);
      assert.equal(added(Object.values(reported)), { installs: 23_544, orders: 69_659, cents: 250_031_563 });

      const quarter = [...Object.keys(months)].slice(0, 3);
      const campaignsOfQuarter = sumsBy(attributed(purchases), ({ date, campaign }) =>
        quarter.includes(date.slice(0, 7)) ? campaign : null,
      );
      assert.equal(await reportedCampaigns(owner, quarter), campaignsOfQuarter);
    } finally {
      await house.stop();
      await directory.remove();
    }
  });
}

/** The file's rows, dates shifted so that the last one is the day before yesterday: within a back-fill's 800 days. */
function shiftedPurchases(): readonly Purchase[] {
  const records: readonly CdnowRow[] = parse<CdnowRow>(readFileSync(file), { columns: true });
  const last =
    records
      .map(({ date }) => date)
      .sort()
      .at(-1) ?? "";
  const shift = daysBetween(last, new Date().toISOString().slice(0, 10)) - 2;
  return records
    .map(({ customer_id, date, amount_usd }) => ({
      customer: customer_id,
      date: addDays(date, shift),
      cents: Math.round(Number(amount_usd) * 100),
    }))
    .sort((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0));
}

/** A customer's first purchase stands for the install, two hours before; every purchase is an order at noon. */
async function replay(house: House, purchases: readonly Purchase[]): Promise<ApiClient> {
  const app = { name: "cdnow", timezone, currency: "USD", ownerEmail: "owner@shop.example" };
  const { data } = (await house.operator.send("POST", "/admin/v1/apps", app)) as { data: { tokens: { api: string } } };
  const owner = house.client(data.tokens.api);
  const simulated = campaigns.map((campaign) => ({
    channel: "newsletter",
    campaignParams: { campaign, ad_group: "readers" },
    deeplinkUrl: "https://shop.example/",
  }));
  const random = seededRandom(1997);
  const touchpoints: SimulatedTouchpoint[] = [];
  const events: SimulatedAppEvent[] = [];
  const seen = new Set<string>();
  for (const [row, { customer, date, cents }] of purchases.entries()) {
    const noon = startOfDay(timezone, date) + 12 * hour;
    const ids = { gaid: `00000000-0000-4000-8000-${customer.padStart(12, "0")}` };
    const device = { id: `customer-${customer}`, os: "Android", ...ids } as const;
    if (!seen.has(customer)) {
      seen.add(customer);
      events.push({ eventId: random.uuid(), eventTimestamp: noon - 2 * hour, category: "app_install", device });
      const link = linkOf(customer);
      if (link !== null) {
        touchpoints.push({ link, touchpointId: random.uuid(), kind: "click", at: noon - 3 * hour, ids, os: "Android" });
      }
    }
    const eventTimestamp = noon + (row % 1_000);
    events.push({
      eventId: random.uuid(),
      eventTimestamp,
      category: "app_order_complete",
      value: cents / 100,
      device,
    });
  }
  const silent = (): void => {};
  const links = await createLinks(owner, simulated, silent);
  await pushTouchpoints(owner, app.name, touchpoints, links, silent);
  await pushAppEvents(owner, app.name, events, silent);
  return owner;
}

/** Each purchase with the campaign that it must carry: the customer's own for 30 days from the install. */
function attributed(purchases: readonly Purchase[]): readonly (Purchase & { readonly campaign: string })[] {
  const installed = new Map<string, string>();
  return purchases.map((purchase) => {
    const since = installed.get(purchase.customer) ?? purchase.date;
    installed.set(purchase.customer, since);
    const link = linkOf(purchase.customer);
    const campaign = link === null || daysBetween(since, purchase.date) >= 30 ? "" : campaigns[link];
    return { ...purchase, campaign: campaign ?? "" };
  });
}

/** Sums by a key of the purchase; a purchase whose key is null counts only as somebody's first. */
function sumsBy<Row extends Purchase>(purchases: readonly Row[], keyOf: (purchase: Row) => string | null) {
  const sums: Record<string, Sums> = {};
  const seen = new Set<string>();
  for (const purchase of purchases) {
    const isFirst = !seen.has(purchase.customer);
    seen.add(purchase.customer);
    const key = keyOf(purchase);
    if (key === null) continue;
    const { installs, orders, cents } = sums[key] ?? { installs: 0, orders: 0, cents: 0 };
    sums[key] = { installs: installs + (isFirst ? 1 : 0), orders: orders + 1, cents: cents + purchase.cents };
  }
  return sums;
}

function added(sums: readonly Sums[]): Sums {
  return sums.reduce((total, sum) => ({
    installs: total.installs + sum.installs,
    orders: total.orders + sum.orders,
    cents: total.cents + sum.cents,
  }));
}

async function reportedMonth(owner: ApiClient, month: string): Promise<Sums> {
  const [row] = await ask(owner, { ...rangeOf([month]), groupBys: [] });
  if (row === undefined) throw new Error("A report without group-bys has one row");
  return row.sums;
}

async function reportedCampaigns(owner: ApiClient, months: readonly string[]): Promise<Record<string, Sums>> {
  const rows = await ask(owner, { ...rangeOf(months), groupBys: ["campaign"] });
  return Object.fromEntries(rows.map(({ groupBys, sums }) => [groupBys[0], sums]));
}

function rangeOf(months: readonly string[]): { readonly from: string; readonly to: string } {
  const first = months[0] ?? "";
  const last = months.at(-1) ?? first;
  const today = localDate(timezone, Date.now());
  const nextMonth = `${addDays(`${last}-28`, 4).slice(0, 7)}-01`;
  const end = addDays(nextMonth, -1);
  return { from: `${first}-01`, to: [end, today].sort()[0] ?? today };
}

async function ask(owner: ApiClient, question: { readonly groupBys: readonly string[] }) {
  const metrics = ["app_installs", "app_order_complete", "app_revenue"];
  const { pages } = await runReport(owner, "actuals", "cdnow", { ...question, metrics, filters: [], sorts: [] });
  return pages.flatMap((page) =>
    page.actuals.data.rows.map(({ groupBys, values }) => ({
      groupBys,
      sums: {
        installs: values.app_installs?.value ?? 0,
        orders: values.app_order_complete?.value ?? 0,
        cents: Math.round((values.app_revenue?.value ?? 0) * 100),
      },
    })),
  );
}

test.run();
