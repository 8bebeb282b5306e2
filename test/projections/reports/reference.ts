import { DateTime } from "luxon";
import type { ActualsQuery } from "../../../domain/report-tasks/events.ts";
import type { AppEvent, Facts, Source, Touchpoint } from "./facts.ts";

/** An actuals report, worked out slowly and plainly, row by row: what the SQL is held against. */
export interface ReferenceRow {
  readonly groupBys: readonly (string | null)[];
  readonly values: readonly (number | null)[];
  readonly masked: readonly boolean[];
}

export interface ReferenceQuestion {
  readonly appId: number;
  readonly currency: string;
  readonly query: ActualsQuery;
  readonly onlyChannels: readonly string[] | null;
  readonly position: number;
}

type Fact = { readonly is: "touchpoint"; readonly of: Touchpoint } | { readonly is: "event"; readonly of: AppEvent };

export function referenceRows(facts: Facts, question: ReferenceQuestion): readonly ReferenceRow[] {
  const { query } = question;
  const cells = new Map<string, Fact[]>();
  if (query.groupBys.length === 0) cells.set("[]", []);
  for (const fact of factsInQuestion(facts, question)) {
    const key = JSON.stringify(query.groupBys.map((groupBy) => groupValueOf(fact, groupBy)));
    const cell = cells.get(key) ?? [];
    cell.push(fact);
    cells.set(key, cell);
  }
  const rows: ReferenceRow[] = [];
  for (const [key, cell] of cells) {
    const measured = query.metrics.map((metric) => measure(metric, cell, question.currency));
    if (query.groupBys.length > 0 && !measured.some(({ counted }) => counted)) continue;
    rows.push({
      groupBys: JSON.parse(key),
      values: measured.map(({ value }) => value),
      masked: measured.map(({ masked }) => masked === true),
    });
  }
  return rows.sort((one, other) => compareRows(query, one, other));
}

function factsInQuestion(facts: Facts, { appId, query, onlyChannels, position }: ReferenceQuestion): readonly Fact[] {
  const all: readonly Fact[] = [
    ...facts.touchpoints.filter(({ human }) => human).map((of) => ({ is: "touchpoint" as const, of })),
    ...facts.appEvents.filter(({ to }) => to === null || to > position).map((of) => ({ is: "event" as const, of })),
  ];
  return all
    .filter(({ of }) => of.appId === appId && of.from <= position && of.date >= query.from && of.date <= query.to)
    .filter((fact) => onlyChannels === null || onlyChannels.includes(groupValueOf(fact, "channel") ?? ""))
    .filter((fact) =>
      query.filters.every(({ dimension, filterType, values }) => {
        return values.includes(groupValueOf(fact, dimension) ?? "") === (filterType === "IN");
      }),
    );
}

function groupValueOf(fact: Fact, groupBy: string): string | null {
  const { of } = fact;
  const source: Source | undefined = fact.is === "touchpoint" ? fact.of.source : fact.of.label?.source;
  const date = DateTime.fromISO(of.date);
  switch (groupBy) {
    case "event_date":
      return of.date;
    case "event_year":
      return date.toFormat("yyyy");
    case "event_month":
      return date.toFormat("yyyy-MM");
    case "event_week":
      return date.startOf("week").toISODate();
    case "event_day_of_week":
      return String(date.weekday);
    case "event_hour":
      return String(of.hour).padStart(2, "0");
    case "event_source":
      return fact.is === "touchpoint" ? "tracking_link" : fact.of.sentFrom;
    case "event_type":
      if (fact.is === "touchpoint") return "touchpoint";
      return fact.of.category === "app_install" ? "target" : "in_app";
    case "event_category":
      return fact.is === "touchpoint" ? fact.of.kind : fact.of.category;
    case "event_name":
      return fact.is === "touchpoint" ? fact.of.kind : fact.of.category.replace("custom:", "");
    case "channel":
      return source?.channel ?? "unattributed";
    case "channel_type":
      return source?.channel_type ?? null;
    case "campaign":
      return source?.campaign || null;
    case "sub_id_1":
      return source?.sub_id_1 || null;
    case "sub_publisher":
      return source?.sub_publisher || null;
    case "tracking_link_id":
      return source?.tracking_link_id?.toString() ?? null;
    case "is_reengagement":
      return source === undefined ? null : String(source.is_reengagement === "ON-TRUE");
    case "touchpoint_type":
      return fact.is === "touchpoint" ? fact.of.kind : (fact.of.label?.kind ?? null);
    case "os_name":
      return of.client.os_name || null;
    case "country":
      return of.client.country || null;
    case "device_model":
      return of.client.device_model || null;
    case "is_first_event_per_device_id":
      return fact.is === "touchpoint" ? null : String(fact.of.isFirstOfDevice);
    case "is_first_event_per_user_id":
      return fact.is === "touchpoint" ? null : (fact.of.isFirstOfUser?.toString() ?? null);
    case "currency":
      return fact.is === "touchpoint" || fact.of.cents === null ? null : fact.of.currency;
    default:
      throw new Error(`The reference does not know ${groupBy}`);
  }
}

interface Measured {
  readonly value: number | null;
  readonly counted: boolean;
  readonly masked?: boolean;
}

function measure(metric: string, cell: readonly Fact[], currency: string): Measured {
  const touchpoints = (...kinds: readonly string[]): number =>
    cell.filter((fact) => fact.is === "touchpoint" && kinds.includes(fact.of.kind)).length;
  const events = cell.flatMap((fact) => (fact.is === "event" ? [fact.of] : []));
  switch (metric) {
    case "clicks":
      return count(touchpoints("click"));
    case "impressions":
      return count(touchpoints("impression"));
    case "touchpoints_impression_click":
      return count(touchpoints("click", "impression"));
    case "ctr": {
      const [clicks, impressions] = [touchpoints("click"), touchpoints("impression")];
      return { value: impressions === 0 ? null : clicks / impressions, counted: clicks + impressions > 0 };
    }
    case "app_event_value":
      return money(events, [], currency);
    case "app_revenue":
      return money(
        events.filter(({ category }) => ["app_order_complete", "app_subscribe", "app_order_cancel"].includes(category)),
        ["app_order_cancel"],
        currency,
      );
  }
  const counted = metric.replace("custom_users:", "custom:").replace(/_users$/, "");
  const selected = events.filter((event) => {
    switch (counted) {
      case "app_events":
        return true;
      case "app_attributed_events":
        return event.label !== null;
      case "app_installs":
        return event.category === "app_install";
      case "app_first_installs":
        return event.category === "app_install" && event.isFirstOfDevice;
      case "app_re_installs":
        return event.category === "app_install" && !event.isFirstOfDevice;
      case "app_attributed_installs":
        return event.category === "app_install" && event.label !== null;
      case "app_unattributed_installs":
        return event.category === "app_install" && event.label === null;
      case "app_first_order_complete":
        return event.category === "app_order_complete" && event.isFirstOfDevice;
      default:
        return event.category === counted;
    }
  });
  return count(counted === metric ? selected.length : new Set(selected.map(({ device }) => device)).size);
}

function count(value: number): Measured {
  return { value, counted: value > 0 };
}

function money(events: readonly AppEvent[], subtracted: readonly string[], currency: string): Measured {
  const amounts = events.filter(({ cents }) => cents !== null);
  const own = amounts.filter((event) => event.currency === currency);
  const masked = amounts.some((event) => event.currency !== currency && event.cents !== 0);
  const cents = own.reduce(
    (sum, event) => sum + (event.cents ?? 0) * (subtracted.includes(event.category) ? -1 : 1),
    0,
  );
  return { value: masked && own.length === 0 ? null : cents / 100, counted: amounts.length > 0, masked };
}

function compareRows({ groupBys, metrics, sorts }: ActualsQuery, one: ReferenceRow, other: ReferenceRow): number {
  const asked = sorts.length > 0 ? sorts : [{ fieldName: metrics[0] ?? "", isAscending: false }];
  for (const { fieldName, isAscending } of asked) {
    const metric = metrics.indexOf(fieldName);
    const [a, b] = [one, other].map((row) =>
      metric >= 0 ? row.values[metric] : row.groupBys[groupBys.indexOf(fieldName)],
    );
    const order = compare(a ?? null, b ?? null, isAscending ? 1 : -1);
    if (order !== 0) return order;
  }
  for (const [index] of groupBys.entries()) {
    const order = compare(one.groupBys[index] ?? null, other.groupBys[index] ?? null, 1);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nulls stand last, whatever the direction. */
function compare(a: string | number | null, b: string | number | null, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return Math.sign(a - b) * direction;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))) * direction;
}
