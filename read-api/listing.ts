import type { JSONSchema } from "json-schema-to-ts";
import { fault } from "../domain/fault.ts";
import { addDays, earliestDate, startOfDay } from "../domain/values/local-time.ts";
import { data, integer, listOf } from "../infra/http/openapi/route-docs.ts";
import { type Problem, validationFailed } from "../infra/http/response/problem.ts";
import { ok, type Reply } from "../infra/http/routing/route.ts";
import type { ListPage, PageQuery } from "../projections/list-page.ts";

/** Rows of a page, unless the query says how many. */
export const defaultSize = 50;
/** No event was recorded earlier, or will be later: dates beyond are limited to these. */
const [firstDay, lastDay] = [earliestDate, "2999-12-31"];

/** Query parameters of every list (contract/http.md#lists). */
export const listParameters = {
  skip: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  size: { type: "integer", minimum: 1, maximum: 500 },
} as const;

/** The query of a list that has no other parameters. */
export const pageQuery = { type: "object", properties: listParameters } as const;

/** Query parameters of a list of items created on some dates, both inclusive. */
export const dateParameters = {
  from: { type: "string", format: "date" },
  to: { type: "string", format: "date" },
} as const;

/** The page that a query requests (contract/http.md#lists). */
export function pageOf({
  skip = 0,
  size = defaultSize,
}: {
  readonly skip?: number;
  readonly size?: number;
}): PageQuery {
  return { skip, size };
}

/** A page, newest first, of rows that are oldest first. */
export function pageOfAll<Row>(rows: readonly Row[], { skip, size }: PageQuery): ListPage<Row> {
  return { rows: rows.toReversed().slice(skip, skip + size), totalCount: rows.length };
}

/** The instants of the local dates of a query, the second exclusive; without dates the whole time. */
export function instantsOfDates(
  timezone: string,
  { from, to }: { readonly from?: string; readonly to?: string },
): { readonly from: Date; readonly before: Date } | Problem {
  if (from !== undefined && to !== undefined && from > to) {
    return validationFailed([fault("out_of_range.after_to", ["query", "from"])]);
  }
  return {
    from: new Date(startOfDay(timezone, clampedDate(from ?? firstDay))),
    before: new Date(startOfDay(timezone, addDays(clampedDate(to ?? lastDay), 1))),
  };
}

function clampedDate(date: string): string {
  if (date < firstDay) return firstDay;
  return date > lastDay ? lastDay : date;
}

/** The response with a page of a list, newest first, in the shape of the list of links. */
export function listReply<Row>(
  member: string,
  { rows, totalCount }: ListPage<Row>,
  itemOf: (row: Row) => object,
): Reply {
  return ok({ data: { totalCount, [member]: rows.map(itemOf) } });
}

/** The schema of {@link listReply}, and an example with one item. */
export function listResponse(member: string, item: JSONSchema, example: object) {
  return {
    schema: data({ totalCount: integer, [member]: listOf(item) }),
    example: { data: { totalCount: 1, [member]: [example] } },
  };
}
