import { assertNever } from "../../decider.ts";
import { exactDecimal, quotientText } from "../../values/decimals.ts";

export type ActiveUsersMetric = "app_au" | "app_pu" | "app_arpu" | "app_arppu" | "app_revenue";

/** The counts of one interval of one group. */
export interface Activity {
  /** Distinct devices with an app event of any category. */
  readonly active: number;
  /**
   * Distinct devices with a purchase, which brings revenue: an `app_order_complete` or an `app_subscribe`
   * (contract/reports.md#metrics).
   */
  readonly paying: number;
  /** Revenue in the app's currency (contract/reports.md#metrics, contract/money.md#conversion), exact decimal text. */
  readonly revenue: string;
}

/** An interval without events. */
export const noActivity: Activity = { active: 0, paying: 0, revenue: "0" };

/** The metrics of an active users report (contract/reports.md#active-users), and the counts that each needs. */
export const countedFor: Readonly<Record<ActiveUsersMetric, readonly (keyof Activity)[]>> = {
  app_au: ["active"],
  app_pu: ["paying"],
  app_arpu: ["active", "revenue"],
  app_arppu: ["paying", "revenue"],
  app_revenue: ["revenue"],
};

export function isActiveUsersMetric(key: string): key is ActiveUsersMetric {
  return Object.hasOwn(countedFor, key);
}

/**
 * A metric of an interval as decimal text; null: revenue per user without users (contract/reports.md#active-users).
 */
export function activeUsersValue(metric: ActiveUsersMetric, { active, paying, revenue }: Activity): string | null {
  switch (metric) {
    case "app_au":
      return String(active);
    case "app_pu":
      return String(paying);
    case "app_revenue":
      return revenue;
    case "app_arpu":
      return perUser(revenue, active);
    case "app_arppu":
      return perUser(revenue, paying);
    default:
      return assertNever(metric);
  }
}

function perUser(revenue: string, users: number): string | null {
  return quotientText(exactDecimal(revenue), { units: BigInt(users), scale: 0 });
}
