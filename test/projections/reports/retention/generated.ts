import * as fc from "fast-check";
import type { Granularity } from "../../../../domain/reporting/granularity.ts";
import { aCohortHistory, cohortHistoryOf, someFilters, someReturnEvents } from "../cohorts/generated.ts";
import type { AppEvent } from "../facts.ts";
import { retentionReport } from "./examples.ts";
import type { Question } from "./reference.ts";

const startEvents = ["app_installs", "app_deeplink_opens", "app_deeplink_pageviews"] as const;

const aQuery = fc.record({
  startEvents: fc.subarray([...startEvents], { minLength: 1 }),
  returnEvents: someReturnEvents,
  measurementOption: fc.constantFrom("general_retention", "confined_retention"),
  groupBys: fc.uniqueArray(fc.constantFrom("channel", "campaign", "country", "event_date", "event_category"), {
    maxLength: 2,
  }),
  filters: someFilters,
  sortedBy: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
});

/** What devices did, each event at its position, and the report on it. */
interface History {
  readonly events: readonly AppEvent[];
  readonly question: Question;
}

/** Histories of apps of their own. */
export function someHistories(count: number, granularity: Granularity): fc.Arbitrary<readonly History[]> {
  const isFine = granularity === "hour" || granularity === "minute";
  return fc
    .array(fc.record({ history: aCohortHistory, query: aQuery }), { minLength: count, maxLength: count })
    .map((drawn) =>
      drawn.map(({ history, query: { sortedBy, ...query } }, index) => {
        const { appEvents, range, asOf } = cohortHistoryOf(index + 1, granularity, history);
        const sortable = ["startUsers", ...query.groupBys];
        const sorts = sortedBy.map(([field, isAscending]) => {
          return { fieldName: sortable[field % sortable.length] ?? "", isAscending };
        });
        const starts = isFine ? (["app_installs"] as const) : query.startEvents;
        const requested = { ...query, ...range, granularity, sorts, startEvents: starts };
        return { events: appEvents, question: retentionReport(requested, asOf) };
      }),
    );
}
