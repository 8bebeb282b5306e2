import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RawExportEvent } from "../../../domain/raw-exports/events.ts";
import { rawExportsProjection } from "../../../projections/raw-exports/projection.ts";
import { openExports, rawExportOf } from "../../../projections/raw-exports/queries.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { anExportRequest, exportId as id } from "../../examples/tasks.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const model = await openProjection(rawExportsProjection);

const query = {
  type: "app",
  start: "2026-03-01 00:00:00",
  end: "2026-03-31 23:59:59",
  events: ["app_install", "custom:레벨 'up'"],
  properties: ["event_id", "channel"],
  filters: [{ dimension: "channel", filterType: "IN", values: ["kakao", ""] }],
} as const;
const requestedAt = "2026-03-31T03:00:00.123Z";
const endedAt = "2026-03-31T03:00:01.000Z";
const requested = (number: number, appId = 1): RawExportEvent => anExportRequest(number, { appId, query, requestedAt });
const file = {
  rows: 3_000_000_000,
  bytes: Number.MAX_SAFE_INTEGER,
  sha256: "ab".repeat(32),
  resumePoints: [
    { offset: 8_388_700, after: { at: "2026-03-02T10:00:00.000Z", id: exampleUuid("event", 1) } },
    { offset: 3_000_000_000, after: { at: "2026-03-03T10:00:00.000Z", id: exampleUuid("event", 2) } },
  ],
};
const completed = (number: number, appId = 1): RawExportEvent => ({
  type: "ExportCompleted",
  data: { reportId: id(number, appId), ...file, endedAt },
});
const failed = (number: number, reason: "facts_behind" | "internal_error", appId = 1): RawExportEvent => ({
  type: "ExportFailed",
  data: { reportId: id(number, appId), reason, endedAt },
});

/** Two of one app are open, one is done and two have failed; of the other app one is open. */
const log = recordedLog<RawExportEvent>([
  requested(1),
  requested(2),
  completed(2),
  requested(3),
  requested(5),
  requested(1, 2),
  requested(4),
  failed(3, "facts_behind"),
  failed(4, "internal_error"),
  requested(2, 2),
  completed(2, 2),
]);

const exports = suite("raw exports");
exports.after(() => model.close());

exports("have the query, the stage and the file", async () => {
  await model.rebuild(log);
  const expected = { appId: 1, query, now: new Date(requestedAt) };
  const none = { rows: null, bytes: null, sha256: null, resumePoints: null, failure: null };
  assert.equal(await Promise.all([1, 2, 3, 4, 5].map((number) => rawExportOf(model, id(number)))), [
    { ...expected, ...none, reportId: id(1), position: 100n, stage: "requested" },
    { ...expected, ...file, reportId: id(2), position: 200n, stage: "completed", failure: null },
    { ...expected, ...none, reportId: id(3), position: 400n, stage: "failed", failure: "facts_behind" },
    { ...expected, ...none, reportId: id(4), position: 700n, stage: "failed", failure: "internal_error" },
    { ...expected, ...none, reportId: id(5), position: 500n, stage: "requested" },
  ]);
});

exports("are of the app that requested them, and null for unknown ids", async () => {
  await model.rebuild(log);
  assert.is((await rawExportOf(model, id(1, 2)))?.appId, 2);
  for (const number of [0, 1, -1, id(6), id(1, 3), Number.MAX_SAFE_INTEGER]) {
    assert.is(await rawExportOf(model, number), null);
  }
});

exports("are a to-do list while they are open: the oldest of each app, then the second of each", async () => {
  await model.rebuild(log);
  const open = async (max: number) => (await openExports(model, max)).map(({ reportId }) => reportId);
  assert.equal(await open(10), [id(1), id(1, 2), id(5)]);
  assert.equal(await open(2), [id(1), id(1, 2)]);
  assert.equal(await open(1), [id(1)]);
  await model.rebuild(log.slice(0, 3));
  assert.equal(await open(10), [id(1)]);
  await model.rebuild([]);
  assert.equal(await open(10), []);
});

exports("are the same in any split into batches, and applied twice", async () => {
  await assertSameRowsForAnySplit(model.db, rawExportsProjection, log, 12);
});

const anyExport = fc.record({
  appId: fc.integer({ min: 1, max: 3 }),
  number: fc.integer({ min: 1, max: 6 }),
  end: fc.constantFrom("open", "open", "open", "completed", "facts_behind", "internal_error"),
});

exports("that are open are all unfinished ones", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(anyExport, { selector: ({ appId, number }) => `${appId} ${number}`, size: "max", maxLength: 12 }),
      async (all) => {
        await model.rebuild(
          recordedLog<RawExportEvent>([
            ...all.map(({ appId, number }) => requested(number, appId)),
            ...all.flatMap(({ appId, number, end }) => {
              if (end === "open") return [];
              return end === "completed" ? [completed(number, appId)] : [failed(number, end as "facts_behind", appId)];
            }),
          ]),
        );
        const open = all.filter(({ end }) => end === "open");
        const found = (await openExports(model, 100)).map(({ reportId }) => reportId);
        assert.equal([...found].sort(), open.map(({ appId, number }) => id(number, appId)).sort());
        const firsts = new Set(open.map(({ appId }) => open.find((one) => one.appId === appId)));
        assert.equal(
          found.slice(0, firsts.size),
          [...firsts].flatMap((one) => (one === undefined ? [] : [id(one.number, one.appId)])),
        );
      },
    ),
    { numRuns: 15 },
  );
});

exports.run();
