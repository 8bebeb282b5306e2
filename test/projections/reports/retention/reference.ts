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
  isWithheld,
  timeOf,
  unitsBetween,
} from "../reference-rules.ts";

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

export function referenceGroups(
  events: readonly AppEvent[],
  flags: readonly ChannelFlag[],
  question: Question,
): readonly ReferenceGroup[] {
  const { query, timezone, now, position } = question;
  const known = events.filter((event) => isInForce(event, position) && timeOf(event) <= now.getTime());
  const isMasked = (event: AppEvent): boolean => isWithheld(event, flags, position);
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
  const blocks = new Map(
    kept.map((start) => {
      const [block, beginning] = blockOf(instantOf(start, timezone), question);
      beginnings.set(block, beginning);
      return [start, block] as const;
    }),
  );
  const begunOfBlocks = new Map([...beginnings].map(([block, beginning]) => [block, begun(beginning, question)]));
  const begunOf = (start: AppEvent): number => begunOfBlocks.get(blocks.get(start) ?? 0) ?? 0;
  const lineOf = (starts: readonly AppEvent[]): ReferenceLine => {
    const left = starts.filter((start) => !isMasked(start));
    const intervals = Math.max(...starts.map(begunOf));
    const cells = Array.from({ length: intervals }, (_, interval) => {
      const cohort = starts.filter((start) => begunOf(start) > interval);
      const found = pairs.filter((pair) => cohort.includes(pair.start) && pair.interval === interval);
      if (cohort.some(isMasked) || found.some(({ back }) => isMasked(back))) return null;
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
          const first = beginnings.get(Number(block)) ?? instantOf(inBlock[0] as AppEvent, timezone);
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
  const requested = query.startEvents.map((key) => categories[key]);
  const starts = known.filter(({ category, date }) => {
    return requested.includes(category) && date >= query.from && date <= query.to;
  });
  return [...groupedBy(starts, ({ device, date }) => `${device} ${date}`).values()].flatMap((ofDate) =>
    [...ofDate].sort((one, other) => timeOf(other) - timeOf(one) || other.from - one.from).slice(0, 1),
  );
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
  const sorts = query.sorts.length > 0 ? query.sorts : [{ fieldName: "startUsers", isAscending: false }];
  for (const { fieldName, isAscending } of sorts) {
    const index = query.groupBys.indexOf(fieldName);
    const shown = ({ groupBys, total }: ReferenceGroup) => (index < 0 ? total.startUsers : (groupBys[index] ?? null));
    const order = compareValues(shown(one), shown(other), isAscending ? 1 : -1);
    if (order !== 0) return order;
  }
  return compareLists(one.groupBys, other.groupBys);
}
