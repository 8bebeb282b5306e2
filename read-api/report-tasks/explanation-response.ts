import type { MaskingReason } from "../../domain/reporting/masking.ts";
import type { SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { Contribution, ExplainedPart, Page } from "../../projections/reports/explain/explanation.ts";
import type { CellAddress, FoundCell } from "./cell-address.ts";
import { jsonArray, jsonObject } from "./json-text.ts";

/**
 * Names in responses of the reasons why contributions are left out (contract/reports.md#masking): the policy of
 * partners, and their time limit.
 */
const excludedBecause: { readonly [reason in MaskingReason]: string } = {
  small_month: "withheld_by_partner_policy",
  older_than_175_days: "older_than_175_days",
};

/**
 * A page of the contributions to a cell, as JSON. A ratio has two parts, and is `times` the numerator divided by the
 * denominator; other metrics have one. Numbers are literals with every digit, as in reports
 * (contract/money.md#exact-amounts).
 */
export function explanationResponse(
  task: SucceededReportTask,
  address: CellAddress,
  { value, isMasked, times }: Pick<FoundCell, "value" | "isMasked" | "times">,
  parts: readonly ExplainedPart[],
  page: Page,
): string {
  const names = partNames(parts);
  const explained = parts.map((part, index) => partResponse(names[index] ?? "", part, page));
  return jsonObject({
    data: jsonObject({
      ...jsonMembers({ taskId: task.taskId, report: task.report, asOfPosition: task.position.toString(), ...address }),
      value: value ?? "null",
      ...jsonMembers({ isMasked: isMasked ?? parts.some(hasExcluded), ...(times === null ? {} : { times }) }),
      parts: jsonArray(explained),
    }),
  });
}

/** A quotient has two parts, any other metric one. */
export function partNames(parts: readonly ExplainedPart[]): readonly string[] {
  return parts.length === 2 ? ["numerator", "denominator"] : ["value"];
}

function hasExcluded({ unconverted, maskingReasons }: ExplainedPart): boolean {
  return unconverted.count > 0 || maskingReasons.length > 0;
}

function partResponse(name: string, part: ExplainedPart, { skip }: Page): string {
  const { counts, sum, found, unconverted, maskingReasons, contributions } = part;
  const excluded = [
    ...(unconverted.count > 0 ? [{ because: "exchange_rate_missing", ...unconverted }] : []),
    ...maskingReasons.map((reason) => ({ because: excludedBecause[reason] })),
  ];
  return jsonObject({
    ...jsonMembers({ part: name, counts }),
    sum,
    ...jsonMembers({ excluded }),
    contributions: jsonArray(contributions.map(contributionResponse)),
    ...jsonMembers({ pagination: { hasNext: skip + contributions.length < found, totalCount: found } }),
  });
}

/** A fact with its amount as sent, the exchange rate, and its contribution. */
function contributionResponse({ fact, amount, rate, contribution }: Contribution): string {
  return jsonObject({
    ...jsonMembers(fact),
    ...(amount === null
      ? {}
      : {
          amount: jsonObject({ value: amount.value, ...jsonMembers({ currency: amount.currency }) }),
          rate:
            rate === null
              ? "null"
              : jsonObject({ ...jsonMembers({ date: rate.date }), appUnits: rate.appUnits, ownUnits: rate.ownUnits }),
        }),
    contribution,
  });
}

/** Members of an object as JSON text each. */
function jsonMembers(members: object): { readonly [key: string]: string } {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, JSON.stringify(value)]));
}
