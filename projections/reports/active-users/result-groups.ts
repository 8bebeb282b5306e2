import {
  type ActiveUsersMetric,
  type Activity,
  activeUsersValue,
  noActivity,
} from "../../../domain/reporting/active-users/metrics.ts";
import { mapInTurns } from "../results/map-in-turns.ts";

/** A group as a statement returns it. */
export interface FoundGroup {
  readonly groupBys: readonly (string | null)[];
  /** Numbers of intervals in order, each with its counts: `0 2 12.5,3 1 0`. */
  readonly activityByInterval: string;
  /** Why some of it was masked, as bits. */
  readonly maskingReasons: number;
  /** Whether any unmasked amount has no exchange rate (contract/money.md#conversion). */
  readonly isAnyUnconverted: boolean;
}

/** A group of a result. */
export interface ActiveUsersGroup {
  readonly groupBys: readonly (string | null)[];
  /** The numbers of the intervals with any value, in order. */
  readonly intervals: readonly number[];
  /**
   * For each of these, the metrics in the order of the query: exact decimal text, null for a value per user without
   * users.
   */
  readonly values: readonly (readonly (string | null)[])[];
}

/** The groups that the statements return; null: no metric of the query needs them. */
export interface FoundGroups {
  readonly active: readonly FoundGroup[] | null;
  /** Only groups that `active` has too, unless that is null: purchases are app events. */
  readonly paying: readonly FoundGroup[] | null;
}

/** The first groups, and whether there are more than a result holds. */
export function firstGroups({ active, paying }: FoundGroups, max: number) {
  const found = active ?? paying ?? [];
  const held = found.slice(0, max);
  const keys = new Set(held.map(keyOf));
  const payingHeld = paying?.filter((group) => keys.has(keyOf(group))) ?? null;
  return {
    active: active === null ? null : held,
    paying: payingHeld,
    isExceeded: held.length < found.length,
  };
}

/** The groups of a result, in the order of the statement. */
export function activeUsersGroups(
  { active, paying }: FoundGroups,
  metrics: readonly ActiveUsersMetric[],
): Promise<readonly ActiveUsersGroup[]> {
  const byKey = new Map(paying?.map((group) => [keyOf(group), group]));
  return mapInTurns(active ?? paying ?? [], (group) => {
    const activities = new Map<number, Activity>();
    for (const [number, count = ""] of active === null ? [] : intervalsOf(group)) {
      activities.set(number, { ...noActivity, active: Number(count) });
    }
    for (const [number, count = "", revenue = ""] of intervalsOf(byKey.get(keyOf(group)))) {
      const { active } = activities.get(number) ?? noActivity;
      activities.set(number, { active, paying: Number(count), revenue });
    }
    const intervals = [...activities].sort(([one], [other]) => one - other);
    return {
      groupBys: group.groupBys,
      intervals: intervals.map(([number]) => number),
      values: intervals.map(([, activity]) => metrics.map((metric) => activeUsersValue(metric, activity))),
    };
  });
}

function* intervalsOf(group: FoundGroup | undefined): Generator<readonly [number, ...string[]]> {
  if (!group?.activityByInterval) return;
  for (const interval of group.activityByInterval.split(",")) {
    const [number, ...counts] = interval.split(" ");
    yield [Number(number), ...counts];
  }
}

function keyOf({ groupBys }: FoundGroup): string {
  return JSON.stringify(groupBys);
}
