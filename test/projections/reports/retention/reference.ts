import type { DateTime } from "luxon";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import type { RetentionResult } from "../../../../projections/reports/retention/run.ts";
import { passes } from "../actuals/reference.ts";
import { groupValueOf } from "../actuals/reference-values.ts";
import type { AppEvent, ChannelFlag } from "../facts.ts";
import {
  begun,
  blockOf,
  compareLists,
  compareValues,
  instantOf,
  isInForce,
  isReturn,
  isShownWhenMasked,
  isWithheld,
  startOfDate,
  timeOf,
  unitsBetween,
} from "../reference-rules.ts";

/**
 * A retention report (contract/reports.md#retention), worked out slowly and plainly, cell by cell: what the SQL is held
 * against.
 */
interface ReferenceGroup {
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

export function referenceGroups(
  events: readonly AppEvent[],
  flags: readonly ChannelFlag[],
  question: Question,
): readonly ReferenceGroup[] {
  const { query, timezone, now, position } = question;
  const known = events.filter((event) => isInForce(event, position));
  const isMasked = (event: AppEvent): boolean => isWithheld(event, flags, position);
  const chosen = startsOf(
    known.filter((event) => !isMasked(event)),
    question,
  );
  const isInReport = (start: AppEvent): boolean =>
    start.date >= query.from &&
    start.date <= query.to &&
    query.filters.every((filter) => passes(groupByOf(start, filter.dimension) ?? "", filter));
  const kept = chosen.filter(isInReport);
  const masked = known.filter((event) => isMasked(event) && isStart(event, question) && isInReport(event));
  const returned = known.filter((event) => isReturn(event, query.returnEvents) && timeOf(event) <= now.getTime());
  const serves = (start: AppEvent, back: AppEvent): boolean => {
    if (back.device !== start.device || timeOf(back) < timeOf(start)) return false;
    const later = chosen.some((other) => {
      return other.device === start.device && timeOf(other) > timeOf(start) && timeOf(other) <= timeOf(back);
    });
    return query.measurementOption === "general_retention" || !later;
  };
  const pairs = kept.flatMap((start) =>
    returned
      .filter((back) => serves(start, back))
      .map((back) => ({ start, back, interval: unitsBetween(start, back, question) })),
  );
  const beginnings = new Map<number, DateTime>();
  const keyOf = (start: AppEvent, isAnyUnmasked: boolean): string =>
    JSON.stringify(
      query.groupBys.map((key) => (isAnyUnmasked || isShownWhenMasked(key) ? groupByOf(start, key) : null)),
    );
  const unmaskedKeys = new Set(kept.map((start) => keyOf(start, true)));
  // All starts of fully masked groups are in the first block.
  const blocks = new Map(
    [...kept, ...masked].map((start) => {
      const from = unmaskedKeys.has(keyOf(start, true))
        ? instantOf(start, timezone)
        : startOfDate(query.from, timezone);
      const [block, beginning] = blockOf(from, question);
      beginnings.set(block, beginning);
      return [start, block] as const;
    }),
  );
  const begunOfBlocks = new Map([...beginnings].map(([block, beginning]) => [block, begun(beginning, question)]));
  const begunOf = (start: AppEvent): number => begunOfBlocks.get(blocks.get(start) ?? 0) ?? 0;
  const lineOf = (starts: readonly AppEvent[], maskedStarts: readonly AppEvent[]): ReferenceLine => {
    const first = begun(startOfDate(query.from, timezone), question);
    const maskedUntil = starts.length === 0 ? first : Math.max(0, ...maskedStarts.map(begunOf));
    const intervals = starts.length === 0 ? first : Math.max(maskedUntil, ...starts.map(begunOf));
    const cells = Array.from({ length: intervals }, (_, interval) => {
      const cohort = starts.filter((start) => begunOf(start) > interval);
      const found = pairs.filter((pair) => cohort.includes(pair.start) && pair.interval === interval);
      if (interval < maskedUntil || found.some(({ back }) => isMasked(back))) return null;
      const value = devicesOf(found.map(({ back }) => back));
      return [value, value / devicesOf(cohort)] as const;
    });
    return { startUsers: maskedStarts.length > 0 ? null : devicesOf(starts), cells };
  };
  const groups = groupedBy([...kept, ...masked], (start) => keyOf(start, unmaskedKeys.has(keyOf(start, true))));
  return [...groups]
    .map(([key, events]): ReferenceGroup => {
      const [starts, maskedStarts] = [kept, masked].map((those) => events.filter((event) => those.includes(event)));
      const rows = [...groupedBy(starts ?? [], (start) => String(blocks.get(start)))]
        .sort(([one], [other]) => Number(one) - Number(other))
        .map(([block, inBlock]) => {
          const first = beginnings.get(Number(block)) ?? instantOf(inBlock[0] as AppEvent, timezone);
          const isFine = query.granularity === "hour" || query.granularity === "minute";
          const date = isFine ? first.setZone(timezone).toISO() : first.toISODate();
          const maskedOfBlock = (maskedStarts ?? []).filter((start) => String(blocks.get(start)) === block);
          return { date: date ?? "", ...lineOf(inBlock, maskedOfBlock) };
        });
      return { groupBys: JSON.parse(key), total: lineOf(starts ?? [], maskedStarts ?? []), rows };
    })
    .sort((one, other) => compareGroups(question, one, other));
}

/** A result in the form of the reference. */
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

/** The last start of each device and date from the first of the query on. */
function startsOf(known: readonly AppEvent[], question: Question): readonly AppEvent[] {
  const starts = known.filter((event) => isStart(event, question) && event.date >= question.query.from);
  return [...groupedBy(starts, ({ device, date }) => `${device} ${date}`).values()].flatMap((ofDate) =>
    [...ofDate].sort((one, other) => timeOf(other) - timeOf(one) || other.from - one.from).slice(0, 1),
  );
}

function isStart({ category }: AppEvent, { query }: Question): boolean {
  return query.startEvents.map((key) => categories[key]).includes(category as (typeof categories)["app_installs"]);
}

function groupByOf(event: AppEvent, key: string): string | null {
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
  const sorts = query.sorts.length > 0 ? query.sorts : [{ fieldName: "startUsers", isAscending: false }];
  for (const { fieldName, isAscending } of sorts) {
    const index = query.groupBys.indexOf(fieldName);
    const shown = ({ groupBys, total }: ReferenceGroup) => (index < 0 ? total.startUsers : (groupBys[index] ?? null));
    const order = compareValues(shown(one), shown(other), isAscending ? 1 : -1);
    if (order !== 0) return order;
  }
  return compareLists(one.groupBys, other.groupBys);
}
