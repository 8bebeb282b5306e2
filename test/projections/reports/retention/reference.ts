import { DateTime } from "luxon";
import { builtInChannel } from "../../../../domain/channels/built-in.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import type { RetentionResult } from "../../../../projections/reports/retention/run.ts";
import { passes } from "../actuals/reference.ts";
import { groupValueOf } from "../actuals/reference-values.ts";
import type { AppEvent, ChannelFlag } from "../facts.ts";

/**
 * A retention report (contract/reports.md#retention), worked out slowly and plainly, cell by cell: what the SQL is held
 * against.
 */
export interface ReferenceGroup {
  readonly groupBys: readonly (string | null)[];
  readonly total: ReferenceLine;
  readonly rows: readonly (ReferenceLine & { readonly date: string })[];
}

/** `[value, rate]` of each interval that has begun; null: hidden. */
interface ReferenceLine {
  readonly startUsers: number | null;
  readonly cells: readonly (readonly [value: number, rate: number] | null)[];
}

export type Question = ReportAt<"retention">;

const categories = {
  app_installs: "app_install",
  app_deeplink_opens: "app_deeplink_open",
  app_deeplink_pageviews: "app_deeplink_pageview",
};
const lastOf = { day: 184, week: 27, month: 13, hour: 168, minute: 180 };

export function referenceGroups(
  events: readonly AppEvent[],
  flags: readonly ChannelFlag[],
  question: Question,
): readonly ReferenceGroup[] {
  const { query, timezone, now, position } = question;
  const known = events.filter(
    (event) => event.from <= position && (event.to ?? 1_000) > position && instantOf(event) <= now.getTime(),
  );
  const isWithheld = ({ label }: AppEvent): boolean => {
    const flag = flags.find(({ channel, from, to }) => {
      return channel === label?.source.channel && from <= position && (to ?? 1_000) > position;
    });
    return flag?.selfAttributing ?? builtInChannel(label?.source.channel ?? "")?.selfAttributing ?? false;
  };
  const chosen = startsOf(known, question);
  const kept = chosen.filter((start) =>
    query.filters.every((filter) => passes(said(start, filter.dimension) ?? "", filter)),
  );
  const returned = known.filter(({ category, isFirstOfDevice }) =>
    query.returnEvents.some((key) => {
      if (key === "app_first_order_complete") return category === "app_order_complete" && isFirstOfDevice;
      return category === key;
    }),
  );
  const serves = (start: AppEvent, back: AppEvent): boolean => {
    if (back.device !== start.device || instantOf(back) < instantOf(start)) return false;
    const later = chosen.some((other) => {
      return (
        other.device === start.device && instantOf(other) > instantOf(start) && instantOf(other) <= instantOf(back)
      );
    });
    return query.measurementOption === "general_retention" || !later;
  };
  const pairs = kept.flatMap((start) =>
    returned
      .filter((back) => serves(start, back))
      .map((back) => ({ start, back, interval: intervalOf(start, back, question) })),
  );
  const blocks = new Map(kept.map((start) => [start, blockOf(start, question)]));
  const begunOfBlocks = new Map([...new Set(blocks.values())].map((block) => [block, begunOfBlock(block, question)]));
  const begunOf = (start: AppEvent): number => begunOfBlocks.get(blocks.get(start) ?? 0) ?? 0;
  const lineOf = (starts: readonly AppEvent[]): ReferenceLine => {
    const left = starts.filter((start) => !isWithheld(start));
    const begun = Math.max(...starts.map(begunOf));
    const cells = Array.from({ length: begun }, (_, interval) => {
      const cohort = starts.filter((start) => begunOf(start) > interval);
      const found = pairs.filter((pair) => cohort.includes(pair.start) && pair.interval === interval);
      if (cohort.some(isWithheld) || found.some(({ back }) => isWithheld(back))) return null;
      const value = devicesOf(found.map(({ back }) => back));
      return [value, value / devicesOf(cohort)] as const;
    });
    return { startUsers: left.length < starts.length ? null : devicesOf(left), cells };
  };
  const groups = groupedBy(kept, (start) => JSON.stringify(query.groupBys.map((key) => said(start, key))));
  return [...groups]
    .map(([key, starts]): ReferenceGroup => {
      const rows = [...groupedBy(starts, (start) => String(blocks.get(start)))]
        .sort(([one], [other]) => Number(one) - Number(other))
        .map(([block, inBlock]) => {
          const first = blockBeginning(Number(block), question);
          const isFine = query.granularity === "hour" || query.granularity === "minute";
          const date = isFine ? first.setZone(timezone).toISO() : first.toISODate();
          return { date: date ?? "", ...lineOf(inBlock) };
        });
      return { groupBys: JSON.parse(key), total: lineOf(starts), rows };
    })
    .sort((one, other) => compareGroups(question, one, other));
}

/** What a report says, in the reference's words. */
export function asReference({ rows }: RetentionResult): readonly ReferenceGroup[] {
  type Line = { readonly startUsers: number | null; readonly values: readonly (number | null)[] };
  const lineOf = ({ startUsers, values }: Line, of: (interval: number) => number): ReferenceLine => {
    const cells = values.map((value, interval) => (value === null ? null : ([value, value / of(interval)] as const)));
    return { startUsers, cells };
  };
  return rows.map(({ groupBys, total, rows: blocks }) => ({
    groupBys,
    total: lineOf(total, (interval) => total.of[interval] ?? Number.NaN),
    rows: blocks.map((block) => ({ date: block.date, ...lineOf(block, () => block.startUsers ?? Number.NaN) })),
  }));
}

/** The last start of each device and date. */
function startsOf(known: readonly AppEvent[], { query }: Question): readonly AppEvent[] {
  const asked = query.startEvents.map((key) => categories[key]);
  const starts = known.filter(({ category, date }) => {
    return asked.includes(category) && date >= query.from && date <= query.to;
  });
  return [...groupedBy(starts, ({ device, date }) => `${device} ${date}`).values()].flatMap((ofDate) =>
    [...ofDate].sort((one, other) => instantOf(other) - instantOf(one) || other.from - one.from).slice(0, 1),
  );
}

function intervalOf(start: AppEvent, back: AppEvent, { query }: Question): number {
  const [from, to] = [start.date, back.date].map((date) => DateTime.fromISO(date, { zone: "UTC" }));
  if (from === undefined || to === undefined) throw new Error("There are two");
  switch (query.granularity) {
    case "day":
      return to.diff(from, "days").days;
    case "week":
      return Math.floor(to.diff(from, "days").days / 7);
    case "month":
      return countWhile((months) => from.plus({ months: months + 1 }) <= to);
    case "hour":
      return Math.floor((instantOf(back) - instantOf(start)) / 3_600_000);
    case "minute":
      return Math.floor((instantOf(back) - instantOf(start)) / 60_000);
  }
}

/** The first moment of a block: for days and more the beginning of its first date. */
function blockBeginning(block: number, { query, timezone }: Question): DateTime {
  const first = DateTime.fromISO(query.from, { zone: timezone }).startOf("day");
  return first.plus({ [`${query.granularity}s`]: block });
}

function blockOf(start: AppEvent, question: Question): number {
  const isFine = question.query.granularity === "hour" || question.query.granularity === "minute";
  return countWhile((block) => {
    const next = blockBeginning(block + 1, question);
    return isFine ? next.toMillis() <= instantOf(start) : (next.toISODate() ?? "") <= start.date;
  });
}

function begunOfBlock(block: number, question: Question): number {
  const { query, timezone, now } = question;
  const first = blockBeginning(block, question);
  const today = DateTime.fromJSDate(now, { zone: timezone }).toISODate() ?? "";
  const isFine = query.granularity === "hour" || query.granularity === "minute";
  return countWhile((interval) => {
    const begins = first.plus({ [`${query.granularity}s`]: interval });
    const hasBegun = isFine ? begins.toMillis() <= now.getTime() : (begins.toISODate() ?? "") <= today;
    return interval <= lastOf[query.granularity] && hasBegun;
  });
}

/** How many numbers from 0 hold, one after the other. */
function countWhile(holds: (number: number) => boolean): number {
  let count = 0;
  while (holds(count)) count += 1;
  return count;
}

function instantOf({ at }: AppEvent): number {
  return Date.parse(at ?? "");
}

function said(event: AppEvent, key: string): string | null {
  return groupValueOf({ is: "event", of: event }, key);
}

function devicesOf(events: readonly AppEvent[]): number {
  return new Set(events.map(({ device }) => device)).size;
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function compareGroups({ query }: Question, one: ReferenceGroup, other: ReferenceGroup): number {
  const asked = query.sorts.length > 0 ? query.sorts : [{ fieldName: "startUsers", isAscending: false }];
  for (const { fieldName, isAscending } of asked) {
    const index = query.groupBys.indexOf(fieldName);
    const [a = null, b = null] = [one, other].map(({ groupBys, total }) =>
      index < 0 ? total.startUsers : groupBys[index],
    );
    const order = compare(a, b, isAscending ? 1 : -1);
    if (order !== 0) return order;
  }
  for (const [index, value] of one.groupBys.entries()) {
    const order = compare(value, other.groupBys[index] ?? null, 1);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nulls stand last, whatever the direction. */
function compare(a: string | number | null, b: string | number | null, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return (a < b ? -1 : Number(a > b)) * direction;
}
