import * as fc from "fast-check";
import { DateTime } from "luxon";
import type { ActiveUsersQuery } from "../../../../domain/reporting/active-users/query.ts";
import { spring } from "../actuals/advertising.ts";
import type { AppEvent } from "../facts.ts";
import { did } from "./examples.ts";
import type { ActiveUsersQuestion, EuroRate } from "./reference.ts";

/** What happened in one app, and the report on it. */
interface ActiveUsersHistory {
  readonly events: readonly AppEvent[];
  readonly question: ActiveUsersQuestion;
}

/** Time zones, each with a date around which its clocks change or its months end; some of these have no midnight. */
const places = [
  { timezone: "America/Sao_Paulo", around: "2018-11-04" },
  { timezone: "America/Sao_Paulo", around: "2018-02-17" },
  { timezone: "Africa/Cairo", around: "2026-04-24" },
  { timezone: "Europe/Berlin", around: "2026-03-29" },
  { timezone: "Europe/Berlin", around: "2025-10-26" },
  { timezone: "Australia/Lord_Howe", around: "2026-04-05" },
  { timezone: "Asia/Seoul", around: "2026-01-31" },
] as const;

const day = 86_400_000;
const lastPosition = 9;
const aPosition = fc.integer({ min: 1, max: lastPosition });
const metrics = ["app_au", "app_pu", "app_arpu", "app_arppu", "app_revenue"] as const;

export const aRate: fc.Arbitrary<EuroRate> = fc.record({
  won: fc.constantFrom(2, 1500),
  date: fc.constantFrom("2018-01-01", "2018-11-04", "2026-03-30"),
  from: fc.constantFrom(1, 5),
});

const anEvent = fc.record({
  // Often at the very beginning of an hour, or just before.
  fraction: fc.double({ min: 0, max: 1, noNaN: true }),
  edge: fc.constantFrom(null, null, 0, -1),
  category: fc.constantFrom(
    "app_open",
    "app_open",
    "app_order_complete",
    "app_order_complete",
    "app_subscribe",
    "app_order_cancel",
    "app_add_to_cart",
  ),
  device: fc.integer({ min: 1, max: 4 }),
  cents: fc.constantFrom(null, 0, 1, 1_000, 333, -200),
  currency: fc.constantFrom("KRW", "KRW", "KRW", "EUR", "USD"),
  channel: fc.constantFrom(null, "kakao", "Kakao", "partner", "twitter"),
  os_name: fc.constantFrom(null, "", "Android", "iOS"),
  from: fc.oneof(fc.constant(1), aPosition),
  to: fc.option(fc.integer({ min: 2, max: lastPosition }), { freq: 3 }),
});

const aFilter = fc.record({
  dimension: fc.constantFrom("channel", "os_name", "event_category", "event_hour"),
  filterType: fc.constantFrom("IN" as const, "NOT IN" as const, "LIKE" as const, "EXIST" as const),
  values: fc.subarray(["kakao", "twitter", "unattributed", "iOS", "", "app_open", "00", "*k*"], { minLength: 1 }),
});

/** A history of an app, a few events of few devices, over up to 92 dates. */
export function aHistory(
  appId: number,
  granularity: ActiveUsersQuery["granularity"],
  maxEvents = 30,
): fc.Arbitrary<ActiveUsersHistory> {
  return fc
    .record({
      place: fc.constantFrom(...places),
      before: fc.constantFrom(0, 1, 2, 31, 70),
      dates: fc.constantFrom(1, 2, 3, 8, 31, 66, 92),
      metrics: fc.subarray([...metrics], { minLength: 1 }),
      groupBys: fc.constantFrom<string[]>(
        [],
        [],
        ["channel"],
        ["os_name"],
        ["event_date"],
        ["event_category", "channel"],
      ),
      filters: fc.oneof(fc.constant([]), fc.array(aFilter, { minLength: 1, maxLength: 2 })),
      onlyChannels: fc.constantFrom(null, null, null, ["kakao"], ["twitter", "unattributed"]),
      position: fc.oneof(fc.constant(lastPosition), aPosition),
      nowAfter: fc.constantFrom(0.5, 1, 92, 150, 176, 200),
      drafts: fc.array(anEvent, { maxLength: maxEvents }),
    })
    .map(({ place, before, dates, nowAfter, position, drafts, onlyChannels, ...requested }) => {
      const { timezone, around } = place;
      const start = DateTime.fromISO(around, { zone: timezone }).minus({ days: before });
      const length = granularity === "minute" ? 1 : granularity === "hour" ? Math.min(dates, 31) : dates;
      const [from, to] = [start, start.plus({ days: length - 1 })].map((at) => at.toISODate() ?? "");
      const events = drafts.map(({ fraction, edge, category, device, channel, os_name, ...more }) => {
        const drawn = start.toMillis() - day / 2 + Math.floor(fraction * (length + 1) * day);
        const at = edge === null ? drawn : drawn - (drawn % 3_600_000) + edge;
        const label: AppEvent["label"] = channel === null ? null : { source: { ...spring, channel }, kind: "click" };
        const client = { os_name, country: null, device_model: null };
        return did(category, new Date(at).toISOString(), device, { ...more, appId, client, label }, timezone);
      });
      const query = { from: from ?? "", to: to ?? "", granularity, ...requested };
      const now = new Date(start.toMillis() + nowAfter * day);
      return { events, question: { query, timezone, onlyChannels, position, now } };
    });
}
