import type { DateTime } from "luxon";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { passes } from "../actuals/reference.ts";
import { groupValueOf } from "../actuals/reference-values.ts";
import type { AppEvent, Facts } from "../facts.ts";
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
import { noUploads, type Spend } from "../uploads.ts";
import { type Member, type Part, type Return, type Shown, shownOf, totalsOf } from "./reference-values.ts";

type Requested = ReportAt<"revenue">;

/** A line of a revenue report: numbers as texts, incomplete ones with a plus sign. */
export interface ReferenceLine {
  readonly date?: string;
  readonly users: Shown;
  readonly revenue: Shown;
  readonly cost: Shown;
  readonly values: readonly Shown[];
}

interface ReferenceGroup {
  readonly groupBys: readonly (string | null)[];
  readonly rows: readonly ReferenceLine[];
  readonly total: ReferenceLine;
}

/** Group-bys of these histories that spend lacks. */
const unknownToSpend = [
  ...["sub_id_1", "event_hour", "tracking_link_id", "is_first_event_per_device_id"],
  ...["event_type", "currency"],
];

/**
 * A revenue report, worked out slowly and plainly: each cell from the events themselves. Months of self-attributing
 * networks are small, as they are where a channel has no hundred installs.
 */
export function referenceRevenue(facts: Facts, requested: Requested): readonly ReferenceGroup[] {
  const { query, timezone } = requested;
  const groups = new Map<string, { starts: AppEvent[]; spend: Spend[] }>();
  const groupOf = (key: string) => {
    const group = groups.get(key) ?? { starts: [], spend: [] };
    groups.set(key, group);
    return group;
  };
  for (const start of startsOf(facts, requested)) {
    groupOf(JSON.stringify(query.groupBys.map((key) => groupValueOf({ is: "event", of: start }, key)))).starts.push(
      start,
    );
  }
  for (const row of spendOf(facts, requested)) {
    groupOf(JSON.stringify(query.groupBys.map((key) => groupValueOf({ is: "spend", of: row }, key)))).spend.push(row);
  }
  const merged = new Map<string, { members: { member: Member; isAnyUnmasked: boolean }[]; spend: Spend[] }>();
  for (const [key, { starts, spend }] of groups) {
    const found = membersOf(starts, facts, requested);
    const isAnyUnmasked = spend.length > 0 || found.some(({ start }) => start !== null);
    const values: readonly (string | null)[] = JSON.parse(key);
    const shown = JSON.stringify(
      values.map((value, index) => (isAnyUnmasked || isShownWhenMasked(query.groupBys[index]) ? value : null)),
    );
    const group = merged.get(shown) ?? { members: [], spend: [] };
    merged.set(shown, group);
    group.members.push(...found.map((member) => ({ member, isAnyUnmasked })));
    group.spend.push(...spend);
  }
  const count = begun(startOfDate(query.from, timezone), requested);
  return [...merged]
    .map(([key, { members, spend }]) => {
      const blocks = new Map<number, DateTime>();
      const place = (date: DateTime): number => {
        const [index, start] = blockOf(date, requested);
        blocks.set(index, start);
        return index;
      };
      const maskedBlocks = new Map<number, DateTime>();
      const maskedPlace = (masked: AppEvent, isAnyUnmasked: boolean): number => {
        const at = isAnyUnmasked ? instantOf(masked, timezone) : startOfDate(query.from, timezone);
        const [index, start] = blockOf(at, requested);
        maskedBlocks.set(index, start);
        return index;
      };
      const placed = members.map(({ member, isAnyUnmasked }) => ({
        member,
        block: member.start === null ? null : place(instantOf(member.start, timezone)),
        maskedBlock: member.maskedStart === null ? null : maskedPlace(member.maskedStart, isAnyUnmasked),
      }));
      const isFine = query.granularity === "hour" || query.granularity === "minute";
      const spent = spend.map((row) => {
        const start = startOfDate(row.date, timezone);
        return {
          row,
          block: isFine ? null : place(start),
          begun: begun(isFine ? start : blockOf(start, requested)[1], requested),
        };
      });
      const begunOf = new Map([...maskedBlocks, ...blocks].map(([block, start]) => [block, begun(start, requested)]));
      const line = (only: number | null): Omit<ReferenceLine, "date"> => {
        const has = (block: number | null, interval: number): boolean =>
          block !== null && (only === null || only === block) && interval < (begunOf.get(block) ?? 0);
        const partAt = (interval: number, isWithin: (at: number) => boolean): Part => ({
          members: placed.filter(({ block }) => has(block, interval)).map(({ member }) => member),
          maskedStarts: placed.filter(({ maskedBlock }) => has(maskedBlock, interval)).length,
          spend: spent
            .filter(({ block, begun }) => (only === null || only === block) && interval < begun)
            .map(({ row }) => row),
          isWithin,
        });
        // Blocks of starts whose clock is ahead have not begun.
        const whole = partAt(Number.NEGATIVE_INFINITY, () => true);
        const values = Array.from({ length: count }, (_, interval) => {
          const begunBySpend = isFine && blocks.size > 0 ? [] : spent.map(({ begun }) => begun);
          const begunHere = only === null ? [...begunOf.values(), ...begunBySpend] : [begunOf.get(only) ?? 0];
          const isBegun = begunHere.some((intervals) => interval < intervals);
          if (!isBegun) return null;
          const isCumulative = query.aggregationType === "cumulative";
          return shownOf(
            partAt(interval, (at) => (isCumulative ? at <= interval : at === interval)),
            facts,
            requested,
          );
        });
        return { ...totalsOf(whole, facts, requested), values };
      };
      return {
        groupBys: JSON.parse(key) as (string | null)[],
        rows: [...blocks]
          .sort(([one], [other]) => one - other)
          .map(([block, start]) => ({
            date: isFine ? (start.toISO() ?? "").replace(/Z$/, "+00:00") : (start.toISODate() ?? ""),
            ...line(block),
          })),
        total: line(null),
      };
    })
    .sort((one, other) => compareGroups(requested, one, other));
}

function startsOf(facts: Facts, requested: Requested): readonly AppEvent[] {
  const { query } = requested;
  return eventsOf(facts, requested)
    .filter(({ category }) => (query.startEvents as readonly string[]).includes(category))
    .filter(({ date }) => date >= query.from && date <= query.to)
    .filter((of) =>
      query.filters.every((filter) => passes(groupValueOf({ is: "event", of }, filter.dimension) ?? "", filter)),
    );
}

function spendOf(facts: Facts, { appId, position, query }: Requested): readonly Spend[] {
  const keys = [...query.groupBys, ...query.filters.map(({ dimension }) => dimension)];
  if (keys.some((key) => unknownToSpend.includes(key))) return [];
  return (facts.uploads ?? noUploads).spend
    .filter((row) => row.appId === appId && isInForce(row, position))
    .filter((row) => row.impressions + row.clicks + row.cents > 0)
    .filter(({ date }) => date >= query.from && date <= query.to)
    .filter((of) => keys.every((key) => (groupValueOf({ is: "spend", of }, key) ?? "") !== ""))
    .filter((of) =>
      query.filters.every((filter) => passes(groupValueOf({ is: "spend", of }, filter.dimension) ?? "", filter)),
    );
}

function eventsOf({ appEvents }: Facts, { appId, position }: Requested): readonly AppEvent[] {
  return appEvents.filter((event) => event.appId === appId && isInForce(event, position));
}

function membersOf(starts: readonly AppEvent[], facts: Facts, requested: Requested): readonly Member[] {
  return [...new Set(starts.map(({ device }) => device))].map((device) => {
    const own = starts.filter((start) => start.device === device).sort((one, other) => timeOf(one) - timeOf(other));
    const start = own.find((event) => !isWithheld(event, facts.channelFlags ?? [], requested.position)) ?? null;
    const first = own[0] ?? null;
    const isMaskedFirst = first !== null && (start === null || timeOf(first) < timeOf(start));
    return {
      device,
      start,
      maskedStart: isMaskedFirst ? first : null,
      returns: start === null ? [] : returnsOf(start, facts, requested),
    };
  });
}

function returnsOf(start: AppEvent, facts: Facts, requested: Requested): readonly Return[] {
  const { returnEvents, granularity } = requested.query;
  const last = { day: 184, week: 27, month: 13, hour: 168, minute: 180 }[granularity];
  return eventsOf(facts, requested)
    .filter(({ device }) => device === start.device)
    .filter((event) => timeOf(event) >= timeOf(start) && timeOf(event) <= requested.now.getTime())
    .filter((event) => isReturn(event, returnEvents))
    .map((of) => ({ of, interval: unitsBetween(start, of, requested) }))
    .filter(({ interval }) => interval <= last);
}

/** What is sorted by, or the revenue that is shown, the largest first; then the group-bys. Nulls stand last. */
function compareGroups({ query }: Requested, one: ReferenceGroup, other: ReferenceGroup): number {
  const [sort = { fieldName: "totalRevenue", isAscending: false }] = query.sorts;
  const sortedValue = ({ total }: ReferenceGroup): number | null => {
    const shown: { readonly [field: string]: string | null | undefined } = {
      totalRevenue: total.revenue,
      totalUniqueUsers: total.users,
      totalCost: total.cost,
      [query.metric]: total.values.at(-1),
    };
    const text = shown[sort.fieldName]?.replace("+", "") ?? "null";
    return text === "null" ? null : Number(text);
  };
  const order = compareValues(sortedValue(one), sortedValue(other), sort.isAscending ? 1 : -1);
  return order || compareLists(one.groupBys, other.groupBys);
}
