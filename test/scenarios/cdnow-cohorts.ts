import { addDays, daysBetween, type LocalDate } from "../../domain/values/local-time.ts";
import type { Customer } from "./cdnow-history.ts";

export type Unit = "day" | "month";

/** Customers that installed in one block of the range. */
interface Cohort {
  readonly date: LocalDate;
  readonly customers: readonly Customer[];
}

/** The highest number of an interval (contract/reports.md#intervals). */
const last: Readonly<Record<Unit, number>> = { day: 184, month: 13 };

/** The same day some months later, or the last one of that month. */
function monthsLater(date: LocalDate, months: number): LocalDate {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDay))).toISOString().slice(0, 10);
}

function unitsLater(unit: Unit, date: LocalDate, units: number): LocalDate {
  return unit === "day" ? addDays(date, units) : monthsLater(date, units);
}

const monthsBetween = new Map<string, number>();

/** Whole ones; those of months are counted once for each two dates. */
function unitsBetween(unit: Unit, from: LocalDate, to: LocalDate): number {
  if (unit === "day") return daysBetween(from, to);
  const key = from + to;
  const known = monthsBetween.get(key);
  if (known !== undefined) return known;
  let months = 0;
  while (monthsLater(from, months + 1) <= to) months += 1;
  monthsBetween.set(key, months);
  return months;
}

/** By the block of the range, from its first date, that they installed in. */
function cohortsOf(customers: readonly Customer[], unit: Unit, from: LocalDate): readonly Cohort[] {
  const cohorts = new Map<LocalDate, Customer[]>();
  for (const customer of customers) {
    const date = unitsLater(unit, from, unitsBetween(unit, from, customer.installed));
    cohorts.set(date, [...(cohorts.get(date) ?? []), customer]);
  }
  return [...cohorts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([date, members]) => ({ date, customers: members }));
}

/** What came back of customers in one interval, or up to it. */
interface Returned {
  readonly customers: number;
  readonly payers: number;
  readonly cents: number;
}

export interface RequestedCohorts {
  readonly unit: Unit;
  readonly from: LocalDate;
  readonly today: LocalDate;
  readonly isCumulative: boolean;
  /** The number that a cell shows. */
  readonly shown: (returned: Returned) => number;
}

/** A row of a report on cohorts. */
export interface CohortLine {
  /** The first date of the block; "all" for the row above the cohorts. */
  readonly name: string;
  readonly users: number | null;
  /** What they paid in all intervals. */
  readonly revenue: number | null;
  /** By interval; null where it has not begun. */
  readonly cells: readonly (number | null)[];
}

/** The row of all, then that of each cohort. */
export function expectedLines(customers: readonly Customer[], requested: RequestedCohorts): readonly CohortLine[] {
  const { unit, from, today, isCumulative, shown } = requested;
  const cohorts = cohortsOf(customers, unit, from);
  const intervalsOf = (date: LocalDate): number => Math.min(unitsBetween(unit, date, today), last[unit]) + 1;
  const intervals = Array.from({ length: intervalsOf(from) }, (_, interval) => interval);
  const line = (name: string, counted: readonly Cohort[]): CohortLine => {
    const parts = counted.map((cohort) => ({
      begun: intervalsOf(cohort.date),
      size: cohort.customers.length,
      returns: cohort.customers.flatMap((customer) => returnsOf(customer, unit)),
    }));
    const cells = intervals.map((interval) => {
      const begun = parts.filter((part) => interval < part.begun);
      if (begun.length === 0) return null;
      let [customerCount, payers, cents] = [0, 0, 0];
      for (const { size, returns } of begun) {
        customerCount += size;
        for (const returned of returns) {
          if (isCumulative ? returned.interval > interval : returned.interval !== interval) continue;
          if (!isCumulative || returned.isFirst) payers += 1;
          cents += returned.cents;
        }
      }
      return shown({ customers: customerCount, payers, cents });
    });
    const reached = parts.flatMap(({ returns }) => returns.filter(({ interval }) => interval < intervals.length));
    const revenue = reached.reduce((sum, { cents }) => sum + cents, 0) / 100;
    const users = parts.reduce((sum, { size }) => sum + size, 0);
    return { name, users, revenue, cells };
  };
  return [line("all", cohorts), ...cohorts.map((cohort) => line(cohort.date, [cohort]))];
}

/** What a customer paid in each interval since the install in which there was a purchase. */
function returnsOf({ installed, purchases }: Customer, unit: Unit) {
  const sums = new Map<number, number>();
  for (const { date, cents } of purchases) {
    const interval = unitsBetween(unit, installed, date);
    sums.set(interval, (sums.get(interval) ?? 0) + cents);
  }
  const first = Math.min(...sums.keys());
  return [...sums].map(([interval, cents]) => ({ interval, cents, isFirst: interval === first }));
}
