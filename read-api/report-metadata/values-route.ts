import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { faultsAt } from "../../domain/fault.ts";
import {
  type FieldValues,
  type ValuesQuery,
  validateValuesQuery,
  valuesLimits,
} from "../../domain/reporting/values/query.ts";
import { visibleChannels } from "../../domain/tokens/visible-channels.ts";
import { localDate } from "../../domain/values/local-time.ts";
import { type Problem, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import { boundedReads } from "../bounded-reads.ts";
import { valuesDocs } from "./docs.ts";

export interface ValuesQueries {
  /** The values of a field at an instant, limited to some channels (null: all). Returns null if it took too long. */
  valuesOf(
    app: RegisteredApp,
    onlyChannels: readonly string[] | null,
    now: Date,
    query: ValuesQuery,
  ): Promise<FieldValues | null>;
}

const valuesQuery = {
  type: "object",
  required: ["field"],
  properties: {
    field: { type: "string", examples: ["channel"] },
    prefix: { type: "string", maxLength: valuesLimits.prefix },
    from: { type: "string" },
    to: { type: "string" },
  },
} as const;

const tooSlow: Problem = { status: 503, code: "VALUES_TOO_SLOW" };

/** The values of a field, for pickers of filters (contract/reports.md#values). */
export function valuesRoute({ valuesOf }: ValuesQueries): Route {
  const reads = boundedReads("OVERLOADED.values", tooSlow);
  return appRoute({
    method: "get",
    path: "/dataspec/v2/apps/:app_name/values",
    crossOrigin: true,
    docs: valuesDocs,
    operation: "report_metadata",
    reads: "facts",
    query: valuesQuery,
    handle: async ({ app, principal, query: { prefix = "", ...query }, receivedAt }) => {
      const now = new Date(receivedAt);
      const validation = validateValuesQuery({ ...query, prefix }, localDate(app.timezone, now.getTime()));
      if (validation.outcome === "invalid") return refuse(validationFailed(faultsAt(["query"], validation.faults)));
      const read = await reads.run(() => valuesOf(app, visibleChannels(principal), now, validation.query));
      if ("status" in read) return refuse(read);
      const { values, hasNext } = read.found;
      return ok({ data: { field: query.field, values }, pagination: { hasNext } });
    },
  });
}
