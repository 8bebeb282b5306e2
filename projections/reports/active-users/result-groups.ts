import { type Activity, activeUsersValue, noActivity } from "../../../domain/reporting/active-users/metrics.ts";
import type { ReportAt } from "../query/query-context.ts";
import { mapInTurns } from "../results/map-in-turns.ts";
import type { FoundGroup } from "./statement.ts";
import { countsByDay } from "./users-by-day.ts";

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

/** The groups of a result, in the order of the statement. */
export function activeUsersGroups(
  groups: readonly FoundGroup[],
  report: ReportAt<"active_users">,
): Promise<readonly ActiveUsersGroup[]> {
  return mapInTurns(groups, ({ groupBys, active, paying }) => {
    const activities = new Map<number, Activity>();
    for (const [number, count] of typeof active === "string" ? countsOf(active) : countsByDay(active, report)) {
      activities.set(Number(number), { ...noActivity, active: Number(count) });
    }
    for (const [number, count, revenue = ""] of countsOf(paying)) {
      const { active } = activities.get(Number(number)) ?? noActivity;
      activities.set(Number(number), { active, paying: Number(count), revenue });
    }
    const intervals = [...activities].sort(([one], [other]) => one - other);
    const valuesOf = (activity: Activity) => report.query.metrics.map((metric) => activeUsersValue(metric, activity));
    return {
      groupBys,
      intervals: intervals.map(([number]) => number),
      values: intervals.map(([, activity]) => valuesOf(activity)),
    };
  });
}

/** The parts of each interval of an activity: its number, then its counts. */
function countsOf(activity: string | null): readonly (readonly string[])[] {
  return activity === null ? [] : activity.split(",").map((interval) => interval.split(" "));
}
