import {
  type ActiveUsersMetric,
  type Activity,
  activeUsersValue,
  noActivity,
} from "../../../domain/reporting/active-users/metrics.ts";

/** A group as a statement finds it. */
export interface FoundGroup {
  readonly groupBys: readonly (string | null)[];
  /** Numbers of intervals in order, each with what is counted of it: `0 2 12.5,3 1 0`. */
  readonly happened: string;
  /** Why something was masked of it, as bits. */
  readonly loss: number;
  /** Whether amounts were left out for want of an exchange rate. */
  readonly lost: boolean;
}

/** A group of a result. */
export interface ActiveUsersGroup {
  readonly groupBys: readonly (string | null)[];
  /** The numbers of the intervals in which something happened, in order. */
  readonly intervals: readonly number[];
  /** Of each of those, the metrics in the order of the query: exact decimal text, null for a value per user without users. */
  readonly values: readonly (readonly (string | null)[])[];
}

/** What is found of each group; null: no metric of the query needs it. */
export interface FoundGroups {
  readonly active: readonly FoundGroup[] | null;
  /** Of groups that `active` has too, if it is there: purchases are app events. */
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

/** The groups of a result, in the order that they are found in. */
export function activeUsersGroups(
  { active, paying }: FoundGroups,
  metrics: readonly ActiveUsersMetric[],
): readonly ActiveUsersGroup[] {
  const byKey = new Map(paying?.map((group) => [keyOf(group), group]));
  return (active ?? paying ?? []).map((group) => {
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
  if (!group?.happened) return;
  for (const interval of group.happened.split(",")) {
    const [number, ...counts] = interval.split(" ");
    yield [Number(number), ...counts];
  }
}

function keyOf({ groupBys }: FoundGroup): string {
  return JSON.stringify(groupBys);
}
