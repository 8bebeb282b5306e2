import { type ExactDecimal, minus, plus, zero } from "../../values/decimals.ts";

/** The returns of a cohort in an interval, or in several: numbers that can be added. */
export interface Returned {
  /** Events, devices or payers, as the metric counts; each device in one interval only where cells accumulate. */
  readonly counted: number;
  readonly revenue: ExactDecimal;
  /** Number of amounts of the revenue. */
  readonly amounts: number;
  /** Number of masked return events (contract/reports.md#masking). */
  readonly maskedReturns: number;
  /**
   * Number of excluded amounts: those of masked returns, and those of unmasked ones without an exchange rate
   * (contract/money.md#conversion).
   */
  readonly excludedAmounts: number;
}

/** The devices and the spend of a cohort. */
export interface CohortSize {
  /** Devices. */
  readonly users: number;
  /** Devices whose start was masked (contract/reports.md#masking). */
  readonly maskedStarts: number;
  readonly cost: ExactDecimal;
  /** Number of rows of spend; 0: there is no cost. */
  readonly spendRows: number;
  /** Number of these without an exchange rate (contract/money.md#conversion); spend is never masked. */
  readonly unconvertedSpend: number;
}

/** A cohort, or a part of one: the devices that started in a block of time, and the spend in it. */
export interface Cohort extends CohortSize {
  /** How many intervals have begun for it. */
  readonly begun: number;
  /** The spend of a date whose blocks of starts, shorter than a date, are cohorts of their own. */
  readonly isSpendOfDate: boolean;
  /** By interval, each below `begun`; an interval without returns has none. */
  readonly cells: readonly (Returned & { readonly interval: number })[];
}

/** The cell of an interval without returns, and the start of sums of returns. */
export const noReturns: Returned = { counted: 0, revenue: zero, amounts: 0, maskedReturns: 0, excludedAmounts: 0 };
/** The start of sums of cohorts. */
export const emptyCohort: CohortSize = { users: 0, maskedStarts: 0, cost: zero, spendRows: 0, unconvertedSpend: 0 };

/** The returns of two cohorts or intervals together. */
export function addReturns(one: Returned, other: Returned): Returned {
  return {
    counted: one.counted + other.counted,
    revenue: plus(one.revenue, other.revenue),
    amounts: one.amounts + other.amounts,
    maskedReturns: one.maskedReturns + other.maskedReturns,
    excludedAmounts: one.excludedAmounts + other.excludedAmounts,
  };
}

function subtractReturns(one: Returned, other: Returned): Returned {
  return {
    counted: one.counted - other.counted,
    revenue: minus(one.revenue, other.revenue),
    amounts: one.amounts - other.amounts,
    maskedReturns: one.maskedReturns - other.maskedReturns,
    excludedAmounts: one.excludedAmounts - other.excludedAmounts,
  };
}

/** The devices and the spend of two cohorts together. */
export function addCohorts(one: CohortSize, other: CohortSize): CohortSize {
  return {
    users: one.users + other.users,
    maskedStarts: one.maskedStarts + other.maskedStarts,
    cost: plus(one.cost, other.cost),
    spendRows: one.spendRows + other.spendRows,
    unconvertedSpend: one.unconvertedSpend + other.unconvertedSpend,
  };
}

function subtractCohorts(one: CohortSize, other: CohortSize): CohortSize {
  return {
    users: one.users - other.users,
    maskedStarts: one.maskedStarts - other.maskedStarts,
    cost: minus(one.cost, other.cost),
    spendRows: one.spendRows - other.spendRows,
    unconvertedSpend: one.unconvertedSpend - other.unconvertedSpend,
  };
}

/** All returns of a cohort. */
export function allReturned({ cells }: Pick<Cohort, "cells">): Returned {
  return cells.reduce<Returned>(addReturns, noReturns);
}

/** The input of a metric for one interval: the returns in it, or up to it, and the cohort. */
export interface Interval {
  readonly returned: Returned;
  readonly of: CohortSize;
}

/**
 * The intervals of several cohorts together, from 0 to `count` - 1. A cohort whose interval has not begun is left out
 * of it with its devices, cost and returns (contract/reports.md#revenue); null where none has begun. The spend of a
 * date, which begins before the starts of that date, begins an interval only where there are no devices at all.
 */
export function combinedIntervals(
  cohorts: readonly Cohort[],
  count: number,
  aggregationType: "cumulative" | "on-day",
): readonly (Interval | null)[] {
  const cellsOf: Returned[] = [];
  const endingAt: Cohort[][] = [];
  const hasDevices = cohorts.some(({ users }) => users > 0);
  const beginning = (of: readonly Cohort[]): number =>
    hasDevices ? of.filter(({ isSpendOfDate }) => !isSpendOfDate).length : of.length;
  for (const cohort of cohorts) {
    const ending = endingAt[cohort.begun] ?? [];
    ending.push(cohort);
    endingAt[cohort.begun] = ending;
    for (const cell of cohort.cells) cellsOf[cell.interval] = addReturns(cellsOf[cell.interval] ?? noReturns, cell);
  }
  const intervals: (Interval | null)[] = [];
  let returned = noReturns;
  let begun = beginning(cohorts);
  let of = cohorts.reduce<CohortSize>(addCohorts, emptyCohort);
  for (let interval = 0; interval < count; interval += 1) {
    const ended = endingAt[interval] ?? [];
    if (ended.length > 0) {
      begun -= beginning(ended);
      of = ended.reduce<CohortSize>(subtractCohorts, of);
    }
    const cell = cellsOf[interval] ?? noReturns;
    if (aggregationType === "cumulative") {
      for (const cohort of ended) returned = subtractReturns(returned, allReturned(cohort));
      if (cell !== noReturns) returned = addReturns(returned, cell);
    } else {
      returned = cell;
    }
    intervals.push(begun === 0 ? null : { returned, of });
  }
  return intervals;
}
