import { assertNever } from "../../decider.ts";
import { type LocalDate, zonedTimestamp } from "../../values/local-time.ts";
import { beginningOf, blockStart, type Granularity, intervalsBegun, type Moment, momentOf } from "../granularity.ts";

/**
 * The devices that started in a group and those that returned (contract/reports.md#retention). Null: hidden, as some of
 * them are masked.
 */
export interface RetentionLine {
  /** Distinct devices with a start. */
  readonly startUsers: number | null;
  /** Distinct devices that returned, by interval, for the intervals that have begun. */
  readonly values: readonly (number | null)[];
}

/** One row of the response, with its sub-rows. */
export interface RetentionGroup {
  /** Over all sub-rows; the rate of an interval is relative to the devices for which it has begun (`of`). */
  readonly total: RetentionLine & { readonly of: readonly number[] };
  /** Blocks of starts, in their order. Their rates are relative to their `startUsers`. */
  readonly rows: readonly (RetentionLine & { readonly date: string })[];
}

/** The counts of a group, or of one block of its starts. */
export interface CountedLine {
  readonly startUsers: number;
  /** Whether some starts are masked. */
  readonly hasMaskedStarts: boolean;
  /** By interval, devices that returned; null: some of them are masked; undefined: none returned. */
  readonly returned: readonly (number | null | undefined)[];
}

export interface CountedBlock extends CountedLine {
  /** From 0, the block that begins with the report's first date. */
  readonly block: number;
  /** Devices whose first start in the group is in this block. */
  readonly firstUsers: number;
}

/** The beginning and the 'now' of a report's blocks. */
interface RetentionTime {
  readonly granularity: Granularity;
  readonly from: LocalDate;
  readonly timezone: string;
  readonly now: Date;
}

/**
 * The number of intervals of a report: 0 to the last one that has begun for its first date
 * (contract/reports.md#intervals).
 */
export function intervalCount(time: RetentionTime): number {
  return intervalsBegun(time.granularity, beginningOf(time.from, time.timezone), momentOf(time.now, time.timezone));
}

/**
 * A group of a retention report (contract/reports.md#retention). A masked start hides its whole block, and every
 * interval of the group that has begun for that block; a masked return hides the cells in which it would have counted.
 * @param blocks those with starts, in their order, at least one
 */
export function retentionGroup(
  total: CountedLine,
  blocks: readonly CountedBlock[],
  time: RetentionTime,
): RetentionGroup {
  const begun = blocks.map(({ block }) =>
    intervalsBegun(time.granularity, blockStartOf(block, time), momentOf(time.now, time.timezone)),
  );
  // Earlier blocks have begun more intervals.
  const hidden = begun[blocks.findIndex(({ hasMaskedStarts }) => hasMaskedStarts)] ?? 0;
  // A block whose cells are all withheld has no row.
  const shown = blocks
    .map((line, index) => ({ line, begun: begun[index] ?? 0 }))
    .filter(({ line }) => line.startUsers > 0);
  const values = valuesOf(total, Math.max(hidden, shown[0]?.begun ?? begun[0] ?? 0));
  return {
    total: {
      startUsers: total.hasMaskedStarts ? null : total.startUsers,
      values: values.map((value, interval) => (interval < hidden ? null : value)),
      of: values.map((_, interval) =>
        blocks.reduce((sum, { firstUsers }, index) => ((begun[index] ?? 0) > interval ? sum + firstUsers : sum), 0),
      ),
    },
    rows: shown.map(({ line, begun }) => {
      const values = valuesOf(line, begun);
      const date = dateOf(line.block, time);
      return line.hasMaskedStarts
        ? { date, startUsers: null, values: values.map(() => null) }
        : { date, startUsers: line.startUsers, values };
    }),
  };
}

function valuesOf({ returned }: CountedLine, begun: number): readonly (number | null)[] {
  return Array.from({ length: begun }, (_, interval) => {
    const users = returned[interval];
    return users === undefined ? 0 : users;
  });
}

function blockStartOf(block: number, { granularity, from, timezone }: RetentionTime): Moment {
  return blockStart(granularity, from, block, timezone);
}

/** The first local date of a block; for hours and minutes its beginning, with the zone's offset. */
function dateOf(block: number, time: RetentionTime): string {
  const { date, instant } = blockStartOf(block, time);
  switch (time.granularity) {
    case "day":
    case "week":
    case "month":
      return date;
    case "hour":
    case "minute":
      return zonedTimestamp(time.timezone, instant);
    default:
      return assertNever(time.granularity);
  }
}
