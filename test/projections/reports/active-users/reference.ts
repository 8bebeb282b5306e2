import { DateTime } from "luxon";
import type { ActiveUsersQuery } from "../../../../domain/reporting/active-users/query.ts";
import { passes } from "../actuals/reference.ts";
import { groupValueOf } from "../actuals/reference-values.ts";
import type { AppEvent } from "../facts.ts";
import { compareLists, isInForce, isShownWhenMasked, timeOf } from "../reference-rules.ts";

/** A question about events of one app, at whose position and 'now' it is answered. */
export interface ActiveUsersQuestion {
  readonly query: ActiveUsersQuery;
  readonly timezone: string;
  readonly onlyChannels: readonly string[] | null;
  readonly position: number;
  readonly now: Date;
}

/** What the events of a history are worth: won for a EUR from a date on, known from a position on. Nothing else is. */
export interface EuroRate {
  readonly won: number;
  readonly date: string;
  readonly from: number;
}

const buys = ["app_order_complete", "app_subscribe"];
const earns = [...buys, "app_order_cancel"];

/** An active users report, worked out slowly and plainly: every event held against every interval of every group. */
export function referenceAnswer(events: readonly AppEvent[], question: ActiveUsersQuestion, rate: EuroRate) {
  const { query, timezone, position, now, onlyChannels } = question;
  const { metrics, groupBys, filters } = query;
  const intervals = referenceIntervals(query, timezone);
  const [first, last] = [intervals[0]?.start ?? 0, intervals.at(-1)?.end ?? 0];
  const textOf = (event: AppEvent, key: string): string | null => groupValueOf({ is: "event", of: event }, key);
  const countsUsers = metrics.some((metric) => metric === "app_au" || metric === "app_arpu");
  const countsPayers = metrics.some((metric) => metric === "app_pu" || metric === "app_arppu");
  const countsRevenue = metrics.some((metric) => metric !== "app_au" && metric !== "app_pu");
  const counted = events
    .filter((event) => isInForce(event, position))
    .filter((event) => timeOf(event) >= first && timeOf(event) < last)
    .filter((event) => filters.every((filter) => passes(textOf(event, filter.dimension) ?? "", filter)))
    .filter((event) => onlyChannels === null || onlyChannels.includes(textOf(event, "channel") ?? ""))
    .filter(
      ({ category, cents }) =>
        countsUsers ||
        (countsPayers && buys.includes(category)) ||
        (countsRevenue && earns.includes(category) && cents !== null),
    );
  const today = DateTime.fromJSDate(now, { zone: timezone }).startOf("day");
  const isWithheld = (event: AppEvent): boolean => event.label?.source.channel === "twitter";
  const isOld = ({ date }: AppEvent): boolean =>
    today.diff(DateTime.fromISO(date, { zone: timezone }), "days").days > 175;
  const unmasked = counted.filter((event) => !isWithheld(event));
  const withheld = counted.filter(isWithheld);
  const earned = unmasked.filter(({ category, cents }) => earns.includes(category) && cents !== null);
  const isUnconverted = (event: AppEvent): boolean => wonCents(event, rate, position) === null;
  const keyOf = (event: AppEvent, isShown: (key: string) => boolean) =>
    groupBys.map((key) => (isShown(key) ? textOf(event, key) : null));
  const unmaskedKeys = new Set(unmasked.map((event) => JSON.stringify(keyOf(event, () => true))));
  const groups = new Map(
    counted.map((event) => {
      const isAnyUnmasked = unmaskedKeys.has(JSON.stringify(keyOf(event, () => true)));
      const values = keyOf(event, (key) => isAnyUnmasked || isShownWhenMasked(key));
      return [JSON.stringify(values), values] as const;
    }),
  );
  if (groupBys.length === 0) groups.set("[]", []);
  const answered = [...groups.values()].sort(compareLists).map((group) => {
    const mine = unmasked.filter((event) => groupBys.every((key, index) => textOf(event, key) === group[index]));
    const counts = intervals.map(({ start, end }) =>
      countsOf(
        mine.filter((event) => timeOf(event) >= start && timeOf(event) < end),
        rate,
        position,
      ),
    );
    const sums = {
      active: sumOf(counts.map(({ active }) => active)),
      paying: sumOf(counts.map(({ paying }) => paying)),
      cents: sumOf(counts.map(({ cents }) => cents)),
    };
    const rows = intervals.map(({ date }, index) => ({ date, values: valuesOf(counts[index] ?? sums, metrics) }));
    return { rank: valuesOf(sums, metrics.slice(0, 1)), rows, groupBys: group.map((value) => value ?? "") };
  });
  const rankOf = ({ rank }: { readonly rank: object }): number => Object.values(rank)[0] ?? Number.NEGATIVE_INFINITY;
  return {
    data: answered
      .sort((one, other) => (rankOf(one) === rankOf(other) ? 0 : rankOf(other) - rankOf(one)))
      .map(({ rows, groupBys }) => ({ rows, groupBys })),
    codes: [
      ...(onlyChannels === null ? [] : ["MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL"]),
      ...(withheld.some((event) => !isOld(event)) ? ["AGG_DATA_MASKING_BY_PARTNER"] : []),
      ...(withheld.some(isOld) ? ["SAN_PERIOD_LIMIT"] : []),
      ...(countsRevenue && earned.some(isUnconverted) ? ["EXCHANGE_RATE_MISSING"] : []),
    ],
  };
}

/** The counts of an interval of a group, or their sums over its intervals. */
interface Counts {
  readonly active: number;
  readonly paying: number;
  readonly cents: number;
}

function countsOf(events: readonly AppEvent[], rate: EuroRate, position: number): Counts {
  const active = new Set(events.map(({ device }) => device)).size;
  const paying = new Set(events.filter(({ category }) => buys.includes(category)).map(({ device }) => device)).size;
  const cents = events
    .filter(({ category }) => earns.includes(category))
    .reduce(
      (sum, event) => sum + (event.category === "app_order_cancel" ? -1 : 1) * (wonCents(event, rate, position) ?? 0),
      0,
    );
  return { active, paying, cents };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function valuesOf({ active, paying, cents }: Counts, metrics: ActiveUsersQuery["metrics"]) {
  const values = {
    app_au: active,
    app_pu: paying,
    app_revenue: cents / 100,
    app_arpu: active === 0 ? null : cents / (100 * active),
    app_arppu: paying === 0 ? null : cents / (100 * paying),
  };
  return Object.fromEntries(metrics.map((metric) => [metric, values[metric] === 0 ? 0 : values[metric]]));
}

/** Hundredths of won; null: no rate is known. */
function wonCents({ cents, currency, date }: AppEvent, rate: EuroRate, position: number): number | null {
  if (cents === null || cents === 0 || currency === "KRW") return cents ?? 0;
  return currency === "EUR" && date >= rate.date && position >= rate.from ? cents * rate.won : null;
}

/** The intervals of a range, laid one after the other until the midnight after it. */
function referenceIntervals({ from, to, granularity }: ActiveUsersQuery, zone: string) {
  const begin = DateTime.fromISO(from, { zone }).startOf("day");
  const end = DateTime.fromISO(to, { zone }).plus({ days: 1 }).startOf("day").toMillis();
  const startOf = (index: number): number =>
    granularity === "hour" || granularity === "minute"
      ? begin.toMillis() + index * (granularity === "hour" ? 3_600_000 : 60_000)
      : DateTime.fromISO(from, { zone })
          .plus({ [`${granularity}s`]: index })
          .startOf("day")
          .toMillis();
  const text = (instant: number): string => DateTime.fromMillis(instant, { zone }).toISO() ?? "";
  const intervals: { readonly start: number; readonly end: number; readonly date: string }[] = [];
  let [start, startText] = [begin.toMillis(), text(begin.toMillis())];
  while (start < end) {
    const next = Math.min(startOf(intervals.length + 1), end);
    const nextText = text(next);
    intervals.push({ start, end: next, date: `${startText}/${nextText}` });
    [start, startText] = [next, nextText];
  }
  return intervals;
}
