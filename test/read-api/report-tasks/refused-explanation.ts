import * as assert from "uvu/assert";
import type { Reports } from "../../commands/report-tasks/reports.ts";

/** Asserts that a cell is refused with 400 (contract/http.md#errors), for the fields at these paths and no others. */
export async function assertRefused(
  reports: Reports,
  taskId: string,
  cell: object,
  ...paths: readonly (readonly string[])[]
): Promise<void> {
  const answer = await reports.explain(taskId, cell);
  assert.is(answer.status, 400, answer.text);
  const { code, errors } = answer.json as { code: string; errors: readonly { loc: readonly string[] }[] };
  assert.equal([code, errors.map((fault) => fault.loc)], ["VALIDATION_FAILED", paths]);
}
