import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { addDays, daysBetween, type LocalDate, localDate, startOfDay } from "../../domain/values/local-time.ts";
import { seededRandom } from "../../infra/demo/random.ts";
import { createLinks, pushAppEvents, pushTouchpoints } from "../../infra/demo/send-traffic.ts";
import type { SimulatedAppEvent, SimulatedTouchpoint } from "../../infra/demo/simulation.ts";
import { type RunningApplication, registerApp } from "../support/application-process.ts";
import { sharedData } from "../support/paths.ts";
import type { TestClient } from "../support/typed-client.ts";

export const file = join(sharedData, "cdnow.csv");
export const isThere = existsSync(file);
export const timezone = "America/New_York";
const hour = 3_600_000;
const timeoutMs = 120_000;

interface Purchase {
  readonly date: LocalDate;
  readonly cents: number;
}

/** A customer, the purchases in the order of time; the first one is the install as well. */
export interface Customer {
  readonly id: string;
  /** Of the link that the install is attributed to; "" for none. */
  readonly campaign: string;
  readonly installed: LocalDate;
  readonly purchases: readonly Purchase[];
}

interface CdnowRow {
  readonly customer_id: string;
  readonly date: string;
  readonly amount_usd: string;
}

/** Customers belong to links by a fixed rule: by the remainder of their number; the last remainder belongs to none. */
export const campaigns = ["alpha", "beta", "gamma"];

const noons = new Map<LocalDate, number>();

/** Twelve hours into a date; counted once for each date. */
function noonOf(date: LocalDate): number {
  const noon = noons.get(date) ?? startOfDay(timezone, date) + 12 * hour;
  noons.set(date, noon);
  return noon;
}

/** The file's rows as they are. */
export function rowsOfFile(): readonly {
  readonly customer: string;
  readonly date: LocalDate;
  readonly cents: number;
}[] {
  return parse<CdnowRow>(readFileSync(file), { columns: true }).map(({ customer_id, date, amount_usd }) => ({
    customer: customer_id,
    date,
    cents: Math.round(Number(amount_usd) * 100),
  }));
}

/** A twelfth of the customers of each campaign; all of them with `CDNOW_CUSTOMERS=all`, which takes eight times as long. */
const isReplayed = (customer: string): boolean =>
  process.env.CDNOW_CUSTOMERS === "all" || Math.floor(Number(customer) / 4) % 12 === 0;

/** The replayed customers, 2021-01-01 shifted to 364 days before the current date, without future purchases. */
export function shiftedCustomers(now: number): readonly Customer[] {
  const shift = daysBetween("2021-01-01", addDays(localDate(timezone, now), -364));
  const purchases = new Map<string, Purchase[]>();
  for (const { customer, date, cents } of rowsOfFile()) {
    const shifted = addDays(date, shift);
    if (!isReplayed(customer) || noonOf(shifted) + hour > now) continue;
    const known = purchases.get(customer);
    if (known === undefined) purchases.set(customer, [{ date: shifted, cents }]);
    else known.push({ date: shifted, cents });
  }
  return [...purchases].map(([id, unsorted]) => {
    const sorted = unsorted.sort((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0));
    const campaign = campaigns[Number(id) % (campaigns.length + 1)] ?? "";
    return { id, campaign, installed: sorted[0]?.date ?? "", purchases: sorted };
  });
}

/** Sends clicks at nine, installs at ten and orders after noon through the HTTP API, in the order of the dates. */
export async function replay(application: RunningApplication, customers: readonly Customer[]): Promise<TestClient> {
  const app = { name: "cdnow", timezone, currency: "USD", ownerEmail: "owner@shop.example" };
  const owner = application.client((await registerApp(application.operator, app)).api, timeoutMs);
  const random = seededRandom(1997);
  const touchpoints: SimulatedTouchpoint[] = [];
  const events: SimulatedAppEvent[] = [];
  for (const { id, campaign, installed, purchases } of customers) {
    const ids = { gaid: `00000000-0000-4000-8000-${id.padStart(12, "0")}` };
    const device = { id: `customer-${id}`, os: "Android", ...ids } as const;
    const at = noonOf(installed) - 3 * hour;
    const link = campaigns.indexOf(campaign);
    if (link >= 0) touchpoints.push({ link, touchpointId: random.uuid(), kind: "click", at, ids, os: "Android" });
    events.push({ eventId: random.uuid(), eventTimestamp: at + hour, category: "app_install", device });
    for (const [number, { date, cents }] of purchases.entries()) {
      const order = { eventId: random.uuid(), category: "app_order_complete", value: cents / 100, device };
      events.push({ ...order, eventTimestamp: noonOf(date) + number });
    }
  }
  events.sort((one, other) => one.eventTimestamp - other.eventTimestamp);
  const silent = (): void => {};
  const simulated = campaigns.map((campaign) => ({
    channel: "newsletter",
    campaignParams: { campaign, ad_group: "readers" },
    deeplinkUrl: "https://shop.example/",
  }));
  const links = await createLinks(owner, simulated, silent);
  await pushTouchpoints(owner, app.name, touchpoints, links, silent);
  await pushAppEvents(owner, app.name, events, silent);
  return owner;
}
