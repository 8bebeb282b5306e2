import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent, StoredEvent } from "../../../domain/event-catalogue.ts";
import type { NotificationType, WebhookEvent } from "../../../domain/webhooks/events.ts";
import { createDeliveryStore } from "../../../projections/webhooks/delivery-tables.ts";
import { webhooksProjection } from "../../../projections/webhooks/projection.ts";
import { webhookOf, webhooksOf } from "../../../projections/webhooks/queries.ts";
import { anInstall } from "../../examples/app-events.ts";
import { revisedBy, wonBy } from "../../examples/decisions.ts";
import { exampleUuid, recordedAt, recordedLog } from "../../examples/recorded-log.ts";
import { anExportRequest, aReportRequest } from "../../examples/tasks.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const all: readonly NotificationType[] = [
  ...(["attribution.decided", "attribution.revised"] as const),
  ...(["upload.finished", "report.finished", "export.finished"] as const),
];
const at = "2026-03-31T00:00:00.000Z";
const hook = (number: number) => exampleUuid("hook", number);
const secret = (number: number) => ({ secretId: exampleUuid("secret", number), secretHash: "ab".repeat(32) });
const created = (number: number, appId: number, types = all): WebhookEvent => ({
  type: "WebhookCreated",
  data: { webhookId: hook(number), appId, url: "https://a.example/", types, description: null, ...secret(number), at },
});
const changed = (number: number, types: readonly NotificationType[]): WebhookEvent => ({
  type: "WebhookChanged",
  data: { webhookId: hook(number), appId: 1, url: "https://b.example/", types, description: "B", at },
});
const rotated = (number: number, secretNumber: number): WebhookEvent => ({
  type: "WebhookSecretRotated",
  data: { webhookId: hook(number), appId: 1, ...secret(secretNumber), previousUntil: "2026-04-01T00:00:00.000Z" },
});
const disabled = (number: number): WebhookEvent => ({
  type: "WebhookDisabled",
  data: { webhookId: hook(number), appId: 1, reason: "failing", failingSince: "2026-03-26T00:00:00.000Z" },
});
const enabled = (number: number): WebhookEvent => ({
  type: "WebhookEnabled",
  data: { webhookId: hook(number), appId: 1, at },
});
const deleted = (number: number): WebhookEvent => ({
  type: "WebhookDeleted",
  data: { webhookId: hook(number), appId: 1 },
});

const install = (number: number, appId = 1) => anInstall({ eventId: exampleUuid("install", number), appId });
const decided = (number: number, appId = 1) => wonBy(install(number, appId), aClick({ appId }));
const late = aClick({ touchpointId: exampleUuid("click", 2) });
const [first, second] = [anUpload(1), anUpload(2)];
const [report, rawExport] = [aReportRequest(1, { requestedAt: at }), anExportRequest(1, { requestedAt: at })];
const [{ taskId }, { reportId }] = [report.data, rawExport.data];
const history: readonly StoredEvent[] = [
  decided(1),
  first.received,
  created(1, 1),
  created(2, 2, ["attribution.revised"]),
  decided(2),
  decided(3, 2),
  revisedBy(decided(2), late),
  first.rejected,
  second.received,
  rotated(1, 3),
  disabled(1),
  decided(4),
  enabled(1),
  second.succeeded,
  report,
  { type: "ReportSucceeded", data: { taskId, rowCount: 2, rowsHash: "ab", notifications: [], endedAt: at } },
  rawExport,
  { type: "ExportFailed", data: { reportId, reason: "facts_behind", endedAt: at } },
  changed(1, ["upload.finished"]),
  decided(5),
  created(3, 1),
  decided(6),
  deleted(3),
  decided(7),
];
/** A type that was added after an enabling, with an event in between. */
const addedType: readonly StoredEvent[] = [
  created(1, 1, ["report.finished"]),
  disabled(1),
  enabled(1),
  first.received,
  first.rejected,
  changed(1, ["report.finished", "upload.finished"]),
];
const log = recordedLog(history);

const live = await openProjection(webhooksProjection);

async function notifications(): Promise<readonly { app_id: number; type: string; position: bigint; data: string }[]> {
  const { rows } = await live.db.raw(
    `select app_id, type, position, data from ${live.schema}.notifications order by position`,
  );
  return rows;
}

const webhooks = suite("webhooks and their notifications");
webhooks.before(() => createDeliveryStore(live.db, { headPosition: async () => null, eventAt: async () => null }));
webhooks.after(() => live.close());

webhooks("are the same rows for any split into batches", async () => {
  await assertSameRowsForAnySplit(live.db, webhooksProjection, log, 6);
  await assertSameRowsForAnySplit(live.db, webhooksProjection, recordedLog(addedType), 6);
});

webhooks("are the events recorded while an enabled webhook of the app had their type", async () => {
  await live.rebuild(log);
  const found = await notifications();
  assert.equal(
    found.map(({ app_id, type, position }) => [app_id, type, Number(position)]),
    [
      [1, "attribution.decided", 500],
      [1, "attribution.revised", 700],
      [1, "upload.finished", 800],
      [1, "upload.finished", 1_400],
      [1, "report.finished", 1_600],
      [1, "export.finished", 1_800],
      [1, "attribution.decided", 2_200],
    ],
  );
  const { eventId, category, at: happenedAt, deviceKey, winner } = decided(2).data;
  const decision = { eventId, category, at: happenedAt, deviceKey };
  const revision = revisedBy(decided(2), late).data;
  assert.equal(
    found.slice(0, 6).map(({ data }) => JSON.parse(data)),
    [
      { ...decision, winner },
      { ...decision, winner: revision.winner, formerWinner: winner },
      {
        ...{ requestId: uploadId(1), kind: "ad_spend", fileName: "spend-1.csv", createdAt: "2026-04-01T00:00:00.000Z" },
        ...{ status: "failed", faults: 2, endedAt: "2026-04-01T00:00:04.000Z" },
      },
      {
        ...{ requestId: uploadId(2), kind: "ad_spend", fileName: "spend-2.csv", createdAt: "2026-04-01T00:00:00.000Z" },
        ...{ status: "succeeded", endedAt: "2026-04-01T00:00:03.000Z" },
      },
      { taskId, report: "actuals", createdAt: at, status: "SUCCESS", rowCount: 2, endedAt: at },
      { reportID: reportId, type: "app", createdAt: at, status: "failed", reason: "facts_behind", endedAt: at },
    ],
  );
});

webhooks("are listed by app, newest first, with why they are disabled", async () => {
  const of = (types: readonly NotificationType[]) => ({ types, createdAt: new Date(at) });
  const one = { webhookId: hook(1), url: "https://b.example/", description: "B", ...of(["upload.finished"]) };
  const two = { webhookId: hook(2), url: "https://a.example/", description: null, ...of(["attribution.revised"]) };
  const healthy = { disabledReason: null, failingSince: null };
  assert.equal(
    [await webhooksOf(live, 1), await webhooksOf(live, 2)],
    [[{ ...one, ...healthy }], [{ ...two, ...healthy }]],
  );
  await live.rebuild([...log, recordedAt(2_500n, disabled(1))]);
  const failing = { disabledReason: "failing", failingSince: new Date("2026-03-26T00:00:00.000Z") };
  assert.equal(await webhookOf(live, 1, hook(1)), { ...one, ...failing });
  assert.is(await webhookOf(live, 2, hook(1)), null);
});

webhooks("are for a webhook from when it got their type, or was last enabled", async () => {
  const of = "upload.finished";
  const begin = [created(1, 1, [of, "export.finished"]), changed(1, ["report.finished", of]), decided(1)];
  const from = async () => {
    const { rows } = await live.db.raw<{ rows: { type: string; since_position: bigint }[] }>(
      `select type, since_position from ${live.schema}.webhook_types order by type`,
    );
    return rows.map(({ type, since_position }) => [type, Number(since_position)]);
  };
  await live.rebuild(recordedLog(begin));
  assert.equal(await from(), [
    ["report.finished", 200],
    [of, 100],
  ]);
  const added = recordedLog([...begin, changed(1, [of]), changed(1, [of, "report.finished"])]);
  await assertSameRowsForAnySplit(live.db, webhooksProjection, added, 6);
  await live.rebuild(added);
  assert.equal(await from(), [
    ["report.finished", 500],
    [of, 100],
  ]);
  await live.rebuild(recordedLog([...begin, disabled(1), changed(1, all), enabled(1)]));
  assert.equal(
    await from(),
    [...all].sort().map((type) => [type, 600]),
  );
  await live.rebuild(recordedLog([...begin, deleted(1)]));
  assert.equal(await from(), []);
});

const day = 24 * 3_600_000;
const recorded = (position: bigint, event: StoredEvent, after: number): RecordedEvent => ({
  ...recordedAt(position, event),
  recordedAt: new Date(Date.parse(at) + after),
});

webhooks("are kept after one that was recorded under a clock that was ahead", async () => {
  const ahead = 10 * day;
  const events = [
    recorded(100n, created(1, 1), 0),
    recorded(200n, decided(1), 0),
    recorded(300n, decided(2), ahead),
    recorded(400n, decided(3), 1),
    recorded(500n, decided(4), 7 * day),
    recorded(600n, decided(5), 7 * day + 1),
    recorded(700n, decided(6), ahead + 7 * day - 1),
  ];
  const kept = async () => (await notifications()).map(({ position }) => Number(position));
  await live.rebuild(events);
  assert.equal(await kept(), [300, 700]);
  await live.rebuild(events.slice(0, -1));
  assert.equal(await kept(), [300, 500, 600]);
  await live.rebuild(events.slice(0, -2));
  assert.equal(await kept(), [300, 400, 500]);
  await assertSameRowsForAnySplit(live.db, webhooksProjection, events, 6);
});

webhooks("are forgotten a week later by the time of the log, and not before", async () => {
  const begin = [recorded(100n, created(1, 1), 0), recorded(200n, decided(1), 0)];
  await live.rebuild([...begin, recorded(300n, decided(2), 7 * day - 1)]);
  assert.equal((await notifications()).length, 2);
  await live.rebuild([...begin, recorded(300n, decided(2), 7 * day)]);
  assert.equal(
    (await notifications()).map(({ position }) => Number(position)),
    [300],
  );
});

webhooks.run();
