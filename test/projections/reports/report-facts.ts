import { openDatabase } from "../../../infra/postgres/database.ts";
import type { ReadModel } from "../../../projections/projection.ts";
import type { ReportLimits } from "../../../projections/reports/query/report-transaction.ts";
import { testPostgres } from "../../support/stores.ts";
import { type Facts, rewriteFacts, writeFacts } from "./facts.ts";
import { noUploads, type Uploads } from "./uploads.ts";

/** An app's report at position 9, over all channels, in won. */
export const reportScope = {
  appId: 1,
  currency: "KRW",
  timezone: "Asia/Seoul",
  onlyChannels: null,
  position: 9n,
} as const;

/** Facts of reports; absent ones are empty. */
export type SomeFacts = Partial<Omit<Facts, "uploads">> & { readonly uploads?: Partial<Uploads> };

/**
 * Runs reports over facts in a database of the test, each set of facts in a schema. Released schemas are used again: to
 * empty the tables takes a third of the time that it takes to create them.
 */
export async function openReportFacts<Report, Result>(
  runReport: (facts: ReadModel, report: Report, limits: ReportLimits) => Promise<Result>,
) {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test", synchronousCommit: "off" });
  const released: string[] = [];
  let created = 0;
  const write = async ({ touchpoints = [], appEvents = [], uploads = {}, channelFlags = [] }: SomeFacts) => {
    const facts = { touchpoints, appEvents, uploads: { ...noUploads, ...uploads }, channelFlags };
    const schema = released.pop();
    if (schema !== undefined) {
      await rewriteFacts(db, schema, facts);
      return schema;
    }
    created += 1;
    await writeFacts(db, `facts_${created}`, facts);
    return `facts_${created}`;
  };
  const release = (schema: string): void => void released.push(schema);
  const run = (schema: string, report: Report): Promise<Result> =>
    runReport({ db, schema }, report, { timeoutMs: 60_000 });
  const answer = async (facts: SomeFacts, ...reports: readonly Report[]): Promise<readonly Result[]> => {
    const schema = await write(facts);
    const results: Result[] = [];
    for (const report of reports) results.push(await run(schema, report));
    release(schema);
    return results;
  };
  /** The result of one report, which must not be too large. */
  const answerOne = async (facts: SomeFacts, report: Report): Promise<NonNullable<Result>> => {
    const [result] = await answer(facts, report);
    if (result === undefined || result === null) throw new Error("The report is too large");
    return result;
  };
  return { db, write, release, run, answer, answerOne, close: () => db.destroy() };
}
