import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isProblem, resolveReportAsOf } from "../../../commands/report-tasks/report-as-of.ts";
import { appStream } from "../../../domain/streams.ts";
import { addDays, startOfDay } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import { operatorCause } from "../../examples/cause.ts";
import { noUploads } from "../../projections/reports/uploads.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "../../support/reports/report-application.ts";
import { errorsOf, problemOf } from "../../support/short-faults.ts";

let reports: Reports;
const requesting = suite("an actuals report as of a log position");
requesting.before(async () => {
  reports = await startReports();
  const categories = [{ appId: shop.appId, category: "Store visits", archived: true }];
  await reports.writeFacts({ touchpoints: [], appEvents: [], uploads: { ...noUploads, categories } });
});
requesting.after(() => reports.close());

const headPosition = async (): Promise<bigint> => (await reports.log.headPosition())?.commit ?? 0n;
const nextMillisecond = async (): Promise<Date> => {
  const now = Date.now();
  while (Date.now() <= now) await new Promise(setImmediate);
  return new Date(now);
};
const storedAsOf = async (asOf: string | number): Promise<unknown> => {
  const [requested] = await reports.events(await reports.requested({ ...clicksByCampaign, asOf }));
  const { query } = (requested?.data ?? {}) as { readonly query?: { readonly asOf?: unknown } };
  return query?.asOf;
};

requesting("keeps the last event at or before it, by its place in its stream", async () => {
  const place = { stream: `reportTask-${await reports.requested(clicksByCampaign)}`, revision: 0 };
  const position = await headPosition();
  const instant = await nextMillisecond();
  await reports.requested(clicksByCampaign);
  const offset = new Date(instant.getTime() + 9 * 3_600_000).toISOString().replace("Z", "+09:00");
  for (const asOf of [position.toString(), Number(position), instant.toISOString(), offset]) {
    assert.equal(await storedAsOf(asOf), place, String(asOf));
  }
});

const faults: readonly (readonly [string, () => Promise<unknown> | unknown, string])[] = [
  ["tomorrow", () => new Date(Date.now() + 86_400_000).toISOString(), "out_of_range"],
  ["a position that the log has not reached", async () => String((await headPosition()) + 1_000_000n), "out_of_range"],
  ["the largest position of 19 digits", () => "9".repeat(19), "out_of_range"],
  ["a time before the app", () => "2025-12-31T23:59:59.999Z", "out_of_range"],
  ["a time before the log", () => "2026-01-01T00:00:00Z", "out_of_range"],
  ["the beginning of the log", () => 0, "out_of_range"],
  ["a word", () => "yesterday", "wrong_format"],
  ["a time without an offset", () => "2026-03-01T00:00:00", "wrong_format"],
  ["a date that is none", () => "2026-02-30T00:00:00Z", "wrong_format"],
  ["20 digits", () => "1".repeat(20), "wrong_format"],
  ["a negative number", () => -1, "out_of_range"],
  ["a number that is not exact", () => 2 ** 53, "out_of_range"],
  ["a fraction", () => 1.5, "wrong_type"],
  ["nothing", () => null, "wrong_type"],
];
for (const [what, asOf, type] of faults) {
  requesting(`refuses ${what}`, async () => {
    const { status, errors } = problemOf(await reports.request({ ...clicksByCampaign, asOf: await asOf() }));
    assert.equal([status, errors], [400, [["body", "asOf", type]]]);
  });
}

requesting("names the faults of the other fields with that of a position that the log has not reached", async () => {
  const answer = await reports.request({
    ...clicksByCampaign,
    asOf: "9".repeat(18),
    from: "1999-12-31",
    groupBys: ["x"],
  });
  assert.equal(problemOf(answer).errors, [
    ["body", "asOf", "out_of_range"],
    ["body", "from", "out_of_range"],
    ["body", "groupBys", 0, "not_allowed"],
  ]);
});

requesting("compares positions with the registration, as clocks may step back", async () => {
  const at = async (position: bigint) => {
    const event = { stream: "log-identity", revision: 0 };
    const moment = { outcome: "at", event, position, instant: new Date("2020-01-01T00:00:00Z") } as const;
    return isProblem(await resolveReportAsOf(position.toString(), { registeredPosition: 10n }, async () => moment));
  };
  assert.equal([await at(9n), await at(10n), await at(11n)], [true, false, false]);
});

requesting("has its moment as now", async () => {
  const instant = new Date(startOfDay(shop.timezone, lastWeek[6] ?? ""));
  const real = reports.circumstances.resolveAsOf;
  const event = { stream: "log-identity", revision: 0 };
  const position = await headPosition();
  reports.circumstances.resolveAsOf = async () => ({ outcome: "at", event, position, instant });
  const nowOf = async (body: object): Promise<unknown> => {
    const [requested] = await reports.events(await reports.requested({ ...clicksByCampaign, ...body }));
    return ((requested?.data ?? {}) as { readonly now?: string }).now;
  };
  assert.equal([await nowOf({ asOf: position.toString() }), await nowOf({})], [instant.toISOString(), undefined]);
  reports.circumstances.resolveAsOf = real;
});

requesting("ends at most on the date that it was then", async () => {
  await reports.requested(clicksByCampaign);
  const position = await headPosition();
  const real = reports.circumstances.resolveAsOf;
  const [today = "", yesterday] = [lastWeek[6], lastWeek[5]];
  const midnight = startOfDay(shop.timezone, today);
  const endingOn = async (to: string | undefined, now: number) => {
    const event = { stream: "log-identity", revision: 0 };
    reports.circumstances.resolveAsOf = async () => ({ outcome: "at", event, position, instant: new Date(now) });
    return errorsOf(await reports.request({ ...clicksByCampaign, to, asOf: position.toString() }));
  };
  assert.equal(await endingOn(today, midnight - 1), [["body", "to", "out_of_range"]]);
  assert.equal(await endingOn(yesterday, midnight - 1), []);
  assert.equal(await endingOn(today, midnight), []);
  assert.equal(await endingOn(addDays(today, 1), midnight), [["body", "to", "out_of_range"]]);
  reports.circumstances.resolveAsOf = real;
});

requesting("counts metrics that were not archived then", async () => {
  const archived = async (
    type: "UploadedMetricArchived" | "UploadedMetricRestored",
    revision: "no_stream" | bigint,
  ) => {
    const metadata = { ...operatorCause, correlationId: "c", causationId: "c", schemaVersion: 1 };
    const data = { appId: shop.appId, eventCategory: "Store visits" };
    await reports.log.append(appStream(shop.appId), revision, [{ id: randomUUID(), type, data, metadata }]);
    return headPosition();
  };
  const before = await headPosition();
  const hidden = await archived("UploadedMetricArchived", "no_stream");
  const shown = await archived("UploadedMetricRestored", 0n);
  const ask = async (asOf?: bigint) => {
    const body = { ...clicksByCampaign, metrics: ["Store visits"] };
    return errorsOf(await reports.request(asOf === undefined ? body : { ...body, asOf: asOf.toString() }));
  };
  const refused = [["body", "metrics", 0, "not_allowed"]];
  assert.equal([await ask(before), await ask(hidden), await ask(shown), await ask()], [[], refused, [], refused]);
});

requesting.run();
