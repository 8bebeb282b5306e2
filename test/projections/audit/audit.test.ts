import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { auditProjection } from "../../../projections/audit/projection.ts";
import { auditAt, auditTrace, linkHistory, listAudit } from "../../../projections/audit/queries.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { aLink } from "../../examples/tracking-links.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const upload = uploadId(1);
const { received, validated } = anUpload(1);
const token = { kind: "api", role: "owner", channels: [], label: null, secretHashRest: "0".repeat(32) } as const;
const channel = {
  name: "billboards",
  displayName: "Billboards",
  type: "custom",
  selfAttributing: false,
  costIntegrated: false,
} as const;
const history: readonly StoredEvent[] = [
  shopRegistered,
  { type: "TokenIssued", data: { ...token, appId: 1, tokenId: "a" } },
  { type: "ChannelRegistered", data: channel },
  { type: "TokenIssued", data: { ...token, appId: 2, tokenId: "b" } },
  received,
  validated,
  { type: "PersonalDataRead", data: { appId: 1, what: "export_url", reportId: 7 } },
];
const log = recordedLog(history);

const model = await openProjection(auditProjection);
const audit = suite("the audit trail");
audit.after(() => model.close());

const all = { appId: 1, after: 0n, actor: null, type: null, subject: null, max: 100 };
const auditOf = async (query: object = {}) => {
  const listed = await listAudit(model, { ...all, ...query });
  const positions = listed.map(({ position }) => position);
  return auditAt(model, positions);
};
const typesOf = async (query: object) => (await auditOf(query)).map(({ type }) => type);

audit("has the changes of an app and of the instance, oldest first, without secrets", async () => {
  await model.rebuild(log);
  const rows = await auditOf();
  const { salt: _salt, ...registered } = shop;
  const { secretHashRest: _rest, ...issued } = token;
  const at = new Date("2026-03-31T00:00:00.000Z");
  const place = (index: number) => {
    const event = log[index];
    return { position: event?.position.commit, at, actor: event?.metadata.actor, requestId: event?.metadata.requestId };
  };
  assert.equal(rows, [
    { ...place(0), appId: 1, type: "AppRegistered", subject: { kind: "app", id: "1" }, data: registered },
    {
      ...place(1),
      appId: 1,
      type: "TokenIssued",
      subject: { kind: "token", id: "a" },
      data: { ...issued, appId: 1, tokenId: "a" },
    },
    {
      ...place(2),
      appId: null,
      type: "ChannelRegistered",
      subject: { kind: "channel", id: "billboards" },
      data: channel,
    },
    { ...place(4), appId: 1, type: "UploadReceived", subject: { kind: "upload", id: upload }, data: received.data },
    { ...place(5), appId: 1, type: "UploadValidated", subject: { kind: "upload", id: upload }, data: validated.data },
    { ...place(6), appId: 1, type: "PersonalDataRead", subject: { kind: "export", id: "7" }, data: history[6]?.data },
  ]);
});

audit("is read by actor, type and subject, and in pages", async () => {
  assert.equal(await typesOf({ type: "TokenIssued" }), ["TokenIssued"]);
  assert.equal(await typesOf({ subject: upload }), ["UploadReceived", "UploadValidated"]);
  const actor = log[0]?.metadata.actor;
  assert.is((await typesOf({ actor: actor?.kind })).length, 6);
  assert.equal(await typesOf({ actor: "nobody" }), []);
  assert.equal(await typesOf({ after: log[4]?.position.commit, max: 1 }), ["UploadValidated"]);
});

audit("follows an id, of any app", async () => {
  const typesAbout = async (id: string) => (await auditTrace(model, id, 10)).map(({ type }) => type);
  assert.equal(await typesAbout(upload), ["UploadReceived", "UploadValidated"]);
  assert.equal(await typesAbout("b"), ["TokenIssued"]);
  assert.is((await typesAbout(log[0]?.metadata.requestId ?? "")).length > 0, true);
  assert.equal(await typesAbout("unknown"), []);
});

audit("is read by the name of a reactor or the id of a token, and followed by a correlation", async () => {
  const actors = [
    { kind: "token", tokenId: "a", role: "owner" },
    { kind: "reactor", name: "exporter" },
    { kind: "operator" },
  ] as const;
  const recorded = log.slice(4).map((event, index) => {
    const [actor = event.metadata.actor, requestId] = [actors[index], `request-${index}`];
    return { ...event, metadata: { ...event.metadata, actor, requestId, correlationId: "request-0" } };
  });
  await model.rebuild([...log.slice(0, 4), ...recorded]);
  assert.equal(await typesOf({ actor: "a" }), ["UploadReceived"]);
  assert.equal(await typesOf({ actor: "exporter" }), ["UploadValidated"]);
  assert.equal(await typesOf({ actor: "reactor" }), ["UploadValidated"]);
  const traced = await auditTrace(model, "request-0", 10);
  assert.equal(
    traced.map(({ type, requestId }) => [type, requestId]),
    [
      ["UploadReceived", "request-0"],
      ["UploadValidated", "request-1"],
      ["PersonalDataRead", "request-2"],
    ],
  );
});

audit("has the history of a link, without other subjects of its id", async () => {
  const archived: StoredEvent = { type: "TrackingLinkArchived", data: { linkId: 7 } };
  await model.rebuild(recordedLog([...history, aLink({ linkId: 7 }), archived]));
  const { rows } = await linkHistory(model, { appId: 1, linkId: 7, skip: 0, size: 10 });
  assert.equal(
    rows.map(({ type }) => type),
    ["TrackingLinkArchived", "TrackingLinkCreated"],
  );
});

audit("has who read the attributions of a device, under the device", async () => {
  const read: StoredEvent = { type: "PersonalDataRead", data: { appId: 1, what: "attributions", deviceKey: "key" } };
  await model.rebuild(recordedLog([shopRegistered, read]));
  const rows = await auditOf({ subject: "key" });
  assert.equal(
    rows.map(({ subject, data }) => [subject, data]),
    [[{ kind: "device", id: "key" }, read.data]],
  );
});

audit("shows events of an app to no other, whatever ids its subjects have", async () => {
  const bundle = (type: "BundleRetired" | "BundleActivated", data: object) => ({
    type,
    data: { bundleId: "7", ...data },
  });
  const renamed = { ...channel, name: upload };
  const about: readonly StoredEvent[] = [
    ...history,
    { type: "ChannelRegistered", data: renamed },
    bundle("BundleActivated", { appId: 2 }) as StoredEvent,
    bundle("BundleRetired", {}) as StoredEvent,
    {
      type: "UploadValidated",
      data: { requestId: "0195e7a0-0000-7000-8000-0000000000bb", rows: 3, validatedAt: "2026-03-31T00:00:01.000Z" },
    },
  ];
  await model.rebuild(recordedLog(about));
  const later = { after: log.at(-1)?.position.commit };
  assert.equal(await typesOf(later), ["ChannelRegistered", "BundleRetired"]);
  assert.equal(await typesOf({ ...later, appId: 2 }), ["ChannelRegistered", "BundleActivated", "BundleRetired"]);
  await assertSameRowsForAnySplit(model.db, auditProjection, recordedLog(about));
});

audit("is the same in any split into batches, applied twice, and from the middle", () =>
  assertSameRowsForAnySplit(model.db, auditProjection, log),
);

audit.run();
