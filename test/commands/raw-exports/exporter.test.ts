import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ExporterDeps, type ExportToRun, exporter } from "../../../commands/raw-exports/exporter.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { RawExportEvent } from "../../../domain/raw-exports/events.ts";
import { reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../../domain/streams.ts";
import { addDays } from "../../../domain/values/local-time.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { anExportRequest } from "../../examples/tasks.ts";
import { startLog } from "../../projections/engine/stores.ts";
import { awakeReactor, testRuntime } from "../reactors/test-runtime.ts";

const file = {
  ...{ rows: 2, bytes: 187, sha256: "ab".repeat(32) },
  resumePoints: [{ offset: 120, after: { at: "2026-03-02T10:00:00.000Z", id: "1" } }],
};
const now = new Date("2026-03-31T12:00:00.000Z");
const endedAt = now.toISOString();

const stores = await startLog();
const { log } = stores;
const usual = { measureFile: (async () => file) as ExporterDeps<ExportToRun>["measureFile"], append: log.append };
/** What the exporter depends on; each test changes what it is about. */
const circumstances = { ...usual };
let date = "2026-03-31";
/** The stream of the test's export: each test has a date of its own. */
let stream = rawExportsStream(1, date);

async function events(reportId: number): Promise<readonly RecordedEvent<RawExportEvent>[]> {
  const found: RecordedEvent<RawExportEvent>[] = [];
  for await (const event of log.read(stream)) if (event.data.reportId === reportId) found.push(event);
  return found;
}
const storedIn = async (reportId: number) => (await events(reportId)).map(({ type, data }) => ({ type, data }));
const isEnded = async (reportId: number): Promise<boolean> => (await events(reportId)).length > 1;
/** Requests an export. */
async function requested(): Promise<ExportToRun> {
  date = addDays(date, 1);
  stream = rawExportsStream(1, date);
  const reportId = reportIdOf({ appId: 1, date, number: 1 });
  const position = await stores.append(stream, anExportRequest(1, { reportId, requestedAt: endedAt }));
  return { reportId, appId: 1, position: position.commit, now };
}
const { failures, runUntil } = testRuntime(() => now);
/** A new exporter with one export on its to-do list. */
const exporterOf = (rawExport: ExportToRun) =>
  exporter({
    log: { ...log, append: (...appended: Parameters<EventLog["append"]>) => circumstances.append(...appended) },
    openExports: async () => ((await isEnded(rawExport.reportId)) ? [] : [rawExport]),
    factsHavePassed: async () => true,
    hasUndecided: async () => false,
    measureFile: (of, stopping) => circumstances.measureFile(of, stopping),
    now: () => now,
  });
const run = (rawExport: ExportToRun, condition: () => boolean | Promise<boolean> = () => isEnded(rawExport.reportId)) =>
  runUntil([awakeReactor(exporterOf(rawExport))], condition);

const exports = suite("the exporter");
exports.before.each(() => {
  Object.assign(circumstances, usual);
  failures.length = 0;
});
exports.after(() => stores.close());

exports("reads an export and records the properties of its file", async () => {
  const rawExport = await requested();
  await run(rawExport);
  const [, end, ...others] = await events(rawExport.reportId);
  assert.equal([end?.type, others, failures], ["ExportCompleted", [], []]);
  assert.equal(end?.data, { reportId: rawExport.reportId, ...file, endedAt });
  assert.equal(end?.metadata.actor, { kind: "reactor", name: "exports" });
});

exports("gives up exports that cannot be read, or do not become runnable, for 60 s", () => {
  const { retry, limits } = exporterOf({ reportId: 1, appId: 1, position: 1n, now });
  assert.equal([retry.giveUp, limits.waitMs], [{ failures: 3, afterMs: 60_000 }, 60_000]);
});

for (const reason of ["facts_behind", "internal_error"] as const) {
  exports(`records that an export was given up: ${reason}`, async () => {
    const rawExport = await requested();
    const reactor = exporterOf(rawExport);
    const outcome = reactor.giveUp?.(rawExport, reason) ?? null;
    if (outcome === null) throw new Error("an export is always given up");
    await reactor.record(rawExport, outcome, { epoch: 1n, signal: AbortSignal.timeout(10_000) });
    const [, end] = await storedIn(rawExport.reportId);
    assert.equal(end, { type: "ExportFailed", data: { reportId: rawExport.reportId, reason, endedAt } });
  });
}

exports("records the same when it was killed between reading and recording", async () => {
  const rawExport = await requested();
  let isAppending = false;
  circumstances.append = async () => {
    isAppending = true;
    throw new Error("killed");
  };
  await run(rawExport, () => isAppending);
  assert.is(await isEnded(rawExport.reportId), false);
  circumstances.append = usual.append;
  await run(rawExport);
  const [, end] = await storedIn(rawExport.reportId);
  assert.equal(end, { type: "ExportCompleted", data: { reportId: rawExport.reportId, ...file, endedAt } });
});

exports("records nothing twice when it was killed after an append, or works off a lagging list", async () => {
  const rawExport = await requested();
  circumstances.append = async (...appended) => {
    await log.append(...appended);
    throw new Error("killed");
  };
  await run(rawExport);
  const before = await events(rawExport.reportId);
  circumstances.append = usual.append;
  const attempt = { epoch: 1n, signal: AbortSignal.timeout(10_000) };
  await exporterOf(rawExport).record(rawExport, { ...file, sha256: "cd".repeat(32) }, attempt);
  assert.equal(await events(rawExport.reportId), before);
});

exports("keeps the outcome that another process has recorded meanwhile", async () => {
  const rawExport = await requested();
  circumstances.measureFile = async () => {
    const data = { reportId: rawExport.reportId, reason: "facts_behind", endedAt };
    await stores.append(stream, { type: "ExportFailed", data });
    return file;
  };
  const reactor = exporterOf(rawExport);
  const attempt = { epoch: 1n, signal: AbortSignal.timeout(10_000) };
  const outcome = await reactor.act(rawExport, attempt);
  if (outcome === null) throw new Error("the export was read");
  assert.is(await reactor.record(rawExport, outcome, attempt), true);
  assert.equal(
    (await events(rawExport.reportId)).map(({ type }) => type),
    ["ExportRequested", "ExportFailed"],
  );
});

exports("stops reading when it is stopped, and records nothing", async () => {
  const rawExport = await requested();
  let [isReading, isStopped] = [false, false];
  circumstances.measureFile = (_rawExport, stopping) =>
    new Promise((_resolve, reject) => {
      isReading = true;
      stopping.addEventListener("abort", () => {
        isStopped = true;
        reject(stopping.reason);
      });
    });
  await run(rawExport, () => isReading);
  assert.equal([isStopped, failures, await isEnded(rawExport.reportId)], [true, [], false]);
});

exports.run();
