/**
 * A cell of a report; null where nothing is left, or nothing has begun (contract/reports.md#masking,
 * contract/reports.md#intervals).
 */
export interface PageCell<Digits = number> {
  readonly value: Digits | null;
  readonly isMasked: boolean;
}

/** A page of an actuals report (contract/reports.md#actuals), of one that has succeeded. */
export interface ActualsPage<Digits = number> {
  readonly task: { readonly taskId: string; readonly asOfPosition: string };
  readonly actuals: {
    readonly data: {
      readonly rows: readonly {
        readonly groupBys: readonly string[];
        readonly values: { readonly [metric: string]: PageCell<Digits> & { readonly viewFormat: string | null } };
      }[];
    };
  };
}

/** A page of an active-users report (contract/reports.md#active-users). */
export interface ActiveUsersPage {
  readonly task: { readonly taskId: string; readonly asOfPosition: string };
  readonly activeUsers: {
    readonly data: readonly {
      readonly groupBys: readonly string[];
      readonly rows: readonly {
        readonly date: string;
        readonly values: { readonly [metric: string]: number | null };
      }[];
    }[];
  };
}

interface RetentionCells {
  readonly startUsers: PageCell;
  readonly values: readonly (PageCell & { readonly rate: number | null })[];
}

/** A page of a retention report (contract/reports.md#retention). */
export interface RetentionPage {
  readonly task: { readonly taskId: string; readonly asOfPosition: string };
  readonly retention: {
    readonly data: {
      readonly rows: readonly {
        readonly groupBys: readonly string[];
        readonly total: RetentionCells;
        readonly rows: readonly (RetentionCells & { readonly date: string })[];
      }[];
    };
  };
}

interface RevenueTotals {
  readonly totalCost: PageCell;
  readonly totalRevenue: PageCell;
  readonly totalUniqueUsers: PageCell;
}

/** A page of a revenue report (contract/reports.md#revenue). */
export interface RevenuePage {
  readonly data: {
    readonly taskId: string;
    readonly asOfPosition: string;
    readonly stats: {
      readonly rows: readonly {
        /** Values of the group-bys. */
        readonly metadata: readonly string[];
        readonly total: RevenueTotals & { readonly values: readonly PageCell[] };
        readonly rows: readonly {
          readonly date: string;
          readonly total: RevenueTotals;
          readonly values: readonly PageCell[];
        }[];
      }[];
    };
  };
}

/** A page of each report, by the report's name. */
export interface ReportPages {
  readonly actuals: ActualsPage;
  readonly active_users: ActiveUsersPage;
  readonly retention: RetentionPage;
  readonly revenue: RevenuePage;
}
