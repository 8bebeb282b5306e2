/** A cell of a report; null where it is masked or its interval has not begun (contract/reports.md#masking, contract/reports.md#intervals). */
export interface PageCell<Digits = number> {
  readonly value: Digits | null;
  readonly isMasked: boolean;
}

/** A page of an actuals report that has succeeded (contract/reports.md#actuals). */
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
