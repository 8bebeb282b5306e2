import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Knex } from "knex";
import { requestExport, requestReport, uploadFile } from "../../../client/index.ts";
import { eventMetadata } from "../../../commands/event-metadata.ts";
import { uploadStream } from "../../../domain/streams.ts";
import type { UploadFailed } from "../../../domain/uploads/events.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { runDemo } from "../../../infra/demo/demo.ts";
import { storeVisits } from "../../../infra/demo/simulated-files.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { eventStoreAccess } from "../../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../../infra/event-log/eventstore-event-log.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { manifest, modelFiles } from "../../examples/model-bundles.ts";
import { registerBundle, serveSpringBundle } from "../../examples/served-bundle.ts";
import { userAgents } from "../../examples/tracking-links.ts";
import { anUpload } from "../../examples/uploads.ts";
import { callContext } from "../../scenarios/context-calls.ts";
import { type RunningApplication, runApplication, temporaryDirectory } from "../../support/application-process.ts";
import { startEmbeddedLog } from "../../support/event-store.ts";
import { testPostgres } from "../../support/stores.ts";
import { runTour } from "../../support/tour.ts";
import type { TestClient } from "../../support/typed-client.ts";
import {
  eventsFile,
  hashesFile,
  type ReplayedModels,
  recordedEvents,
  recordedModels,
  replayedModels,
  type StoredLine,
  withoutNewVersion,
} from "./recorded-log.ts";

/**
 * Records the log of `test/golden/log` anew, in two minutes: the tour, a small demo, calls that neither makes, and
 * failures. After a change of a read model `--hashes` computes the hashes alone. Changed tables need a new version.
 */
const hashesAlone = process.argv.includes("--hashes");
// Events of a former shape cannot be replayed: then the log is only recorded again.
const replayed = await replay().catch((failure: unknown) => {
  if (hashesAlone) throw failure;
  return null;
});
const changed = replayed === null ? [] : withoutNewVersion(recordedModels(), replayed);
if (changed.length > 0) throw new Error(`The tables of ${changed.join(", ")} have changed: raise the version.`);
if (!hashesAlone) await recordEvents();
writeFileSync(hashesFile, `${JSON.stringify(await replay(), null, 2)}\n`);
console.log(`${eventsFile} has ${recordedEvents().length} events.`);
process.exit(0);

async function replay(): Promise<ReplayedModels> {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "record" });
  try {
    return await replayedModels(db, recordedEvents());
  } finally {
    await db.destroy();
  }
}

async function recordEvents(): Promise<void> {
  const directory = await temporaryDirectory();
  const data = join(directory.path, "data");
  // Another event store than that of a data directory is claimed.
  const store = await startEmbeddedLog();
  const application = await runApplication(data, { ...store.environment });
  try {
    await runTour(application, directory.path, data);
    await runDemo(application.run, { seed: 1, devices: 40, visits: 5, allRows: false, exit: true }, () => undefined);
    await callTheRest(application);
    await failUpload(store.log);
    const lines: string[] = [];
    for await (const { position, revision, recordedAt, stream, id, type, data, metadata } of store.log.readAll(
      "start",
      100_000,
    )) {
      const line: StoredLine = {
        ...{ stream, id, type, metadata },
        ...{ revision: String(revision), position: String(position.commit), recordedAt: recordedAt.toISOString() },
        data: data instanceof Uint8Array ? Buffer.from(data).toString("base64") : data,
      };
      lines.push(`${JSON.stringify(line)}\n`);
    }
    writeFileSync(eventsFile, lines.join(""));
  } finally {
    await application.stop();
    await store.close();
    await directory.remove();
  }
}

/** What neither the tour nor the demo does: changes of settings, revisions, refusals, files that are not accepted. */
async function callTheRest(application: RunningApplication): Promise<void> {
  const { run, operator, client } = application;
  const registration = { name: "golden", timezone: "Asia/Seoul", currency: "KRW", ownerEmail: "owner@shop.example" };
  const { tokens } = ((await operator.send("POST", "/admin/v1/apps", registration)) as Registered).data;
  const [owner, sdk] = [client(tokens.api), client(tokens.sdk)];
  const ofApp = "/admin/v1/apps/golden";
  await operator.send("PATCH", ofApp, { companyName: "Golden" });
  const issued = (await operator.send("POST", `${ofApp}/tokens`, { kind: "link" })) as Issued;
  await operator.send("DELETE", `${ofApp}/tokens/${issued.data.token.id}`);
  for (const displayName of ["Golden", "Golden channel"]) {
    const channel = { displayName, type: "custom", selfAttributing: false, costIntegrated: false };
    await operator.send("PUT", "/admin/v1/channels/golden", channel);
  }
  await operator.send("PUT", "/admin/v1/channels/golden/certification", { responseFormat: "Golden" });
  await operator.send("DELETE", "/admin/v1/channels/golden/certification");
  await operator.send("PUT", "/admin/v1/exchange-rates/2026-03-01", { base: "USD", rates: { KRW: 1450 } });
  await operator.send("PUT", `${ofApp}/attribution-rules`, { attributionWindow: "7d" });

  const link = ((await owner.send("POST", "/v1/tracking-links", { channel: "golden" })) as CreatedLink).data
    .trackingLink;
  const ogTag = { title: "Golden", description: "A link", imageUrl: "https://shop.example/image.png" };
  await owner.send("PATCH", `/v1/tracking-links/${link.id}/og-tag`, ogTag);
  await owner.send("PATCH", `/v1/tracking-links/${link.id}`, { campaignParams: { campaign: "golden" } });
  await owner.send("POST", `/v1/tracking-links/${link.id}/archive`);
  await owner.send("POST", `/v1/tracking-links/${link.id}/restore`);
  await owner.send("PATCH", `/v1/tracking-links/${link.id}/routing`, {
    fallbackPaths: { desktop: "https://shop.example" },
  });

  await changeWebhook(operator);
  await operator.send("PUT", `${ofApp}/context`, { active: false });
  await sdk.send("POST", "/entry/inference/v1/context", { userId: "nobody" }).catch(() => undefined);
  await operator.send("PUT", `${ofApp}/context`, { active: true });

  await uploadFile(owner, "ad_spend", { name: "no-columns.csv", content: "date\n2026-03-01\n" });
  for (const archived of [true, false]) {
    await operator.send("PUT", `/admin/v1/apps/demo_shop/uploaded-metrics/${storeVisits}`, { archived });
  }

  // The click that wins arrives after the decision.
  const gaid = randomUUID();
  const [clickedAt, installedAt] = [Date.now() - 7_200_000, Date.now() - 3_600_000];
  const event = {
    ...{ eventId: randomUUID(), eventTimestamp: installedAt, category: "app_install" },
    device: { id: "phone-1", os: "Android", gaid },
  };
  const sent = (await sdk.send("POST", "/events/v1/apps/golden/app-events", { events: [event] })) as SentEvents;
  await until(run.eventStoreUrl, "attribution-3_", "AttributionDecided");
  const click = { touchpointId: randomUUID(), kind: "click", timestamp: clickedAt, channel: "golden", gaid };
  await owner.send("POST", "/events/v1/apps/golden/touchpoints", { touchpoints: [click] });
  await until(run.eventStoreUrl, "attribution-3_", "AttributionRevised");
  await owner.send("GET", "/admin/v1/apps/golden/attributions?deviceId=phone-1");
  await openDeferredLink(application, link.shortURL, owner, sdk);
  await predict(application, tokens.sdk, sent.data.devices["phone-1"] ?? "");
  await failToCompute(application, owner);
}

/** A phone clicks a link and installs the app, which asks where the link led. */
async function openDeferredLink(
  { run }: RunningApplication,
  shortUrl: string,
  owner: TestClient,
  sdk: TestClient,
): Promise<void> {
  const shortId = shortUrl.split("/").at(-1);
  await owner.send("PATCH", `/v1/tracking-links/${shortId}/routing?idType=shortId`, {
    deeplinkUrl: "https://shop.example/sale",
  });
  const headers = { "User-Agent": userAgents.android };
  const { headers: answered } = await fetch(shortUrl, { redirect: "manual", headers });
  const clickId = new URL(answered.get("location") ?? "").searchParams.get("tl_click_id");
  const install = { eventId: randomUUID(), eventTimestamp: Date.now(), category: "app_install" };
  const event = { ...install, device: { id: "phone-2", os: "Android" }, referrer: { clickId } };
  await sdk.send("POST", "/events/v1/apps/golden/app-events", { events: [event] });
  await until(run.eventStoreUrl, `attribution-3_${install.eventId}`, "AttributionDecided");
  const open = () => sdk.send("POST", "/v1/tracking-links/open", { eventId: install.eventId });
  // The read model follows the log.
  for (let attempt = 0; attempt < 100 && (await open().catch(() => null)) === null; attempt += 1) await pause(100);
}

/** A bundle answers a context call, and is retired after another one has taken over. */
async function predict(application: RunningApplication, sdkToken: string, userId: string): Promise<void> {
  await serveSpringBundle(application);
  const { status } = await callContext(application, sdkToken, { userId });
  if (status !== 200) throw new Error(`The context call was answered with ${status}`);
  const { d3_purchase, d3_churn } = manifest.models;
  await registerBundle(application, { ...manifest, bundleId: "spring-2" }, [
    [d3_purchase.file, modelFiles.d3_purchase],
    [d3_churn.file, modelFiles.d3_churn],
  ]);
  await application.operator.send("PUT", "/admin/v1/model-bundle", { bundleId: "spring-2" });
  await application.operator.send("DELETE", `/admin/v1/model-bundles/${manifest.bundleId}`);
}

/** A report and an export are given up after a minute in which their table is missing; another report is canceled. */
async function failToCompute({ run }: RunningApplication, owner: TestClient): Promise<void> {
  const facts = openDatabase(run.databaseUrl, { max: 1, applicationName: "record" });
  const schema = await liveSchema(facts);
  await facts.raw(`alter table ${schema}.app_events rename to missing_app_events`);
  const query = {
    ...{ from: "2026-03-01", to: "2026-03-31", groupBys: ["channel"], metrics: ["app_installs"] },
    ...{ filters: [], sorts: [] },
  };
  await requestReport(owner, "actuals", "golden", query);
  const { path } = await requestReport(owner, "actuals", "golden", { ...query, to: "2026-03-30" });
  await owner.send("DELETE", path);
  const yesterday = addDays(localDate("Asia/Seoul", Date.now()), -1);
  const dateRange = { start: `${yesterday} 00:00:00`, end: `${yesterday} 23:59:59` };
  await requestExport(owner, "golden", "app", { dateRange, events: ["app_installs"], properties: ["event_datetime"] });
  await Promise.all([
    until(run.eventStoreUrl, "reportTask-", "ReportFailed"),
    until(run.eventStoreUrl, "rawExports-3_", "ExportFailed"),
  ]);
  await facts.raw(`alter table ${schema}.missing_app_events rename to app_events`);
  await facts.destroy();
}

/**
 * An upload is given up after ten failures in ten minutes, which nobody records: its events are appended as the API and the
 * reactor append them.
 */
async function failUpload(log: EventLog): Promise<void> {
  const requestId = randomUUID();
  const instant = new Date().toISOString();
  const { received, failed } = anUpload(1, { requestId, appId: 3, receivedAt: instant });
  const events = [received, { ...failed, data: { ...failed.data, requestId, failedAt: instant } } as UploadFailed];
  const cause = { actor: { kind: "reactor", name: "uploads" } as const, requestId, occurredAt: instant };
  await log.append(
    uploadStream(requestId),
    "no_stream",
    events.map((event) => ({ ...event, id: randomUUID(), metadata: eventMetadata(event.type, cause) })),
  );
}

async function liveSchema(db: Knex): Promise<string> {
  const { schema_name: schema } = await db("touchledger.generations")
    .where({ projection: "facts", state: "live" })
    .first("schema_name");
  return schema;
}

/** A webhook with all that can be changed of it; nothing is sent to it. */
async function changeWebhook(operator: TestClient): Promise<void> {
  const path = "/admin/v1/apps/golden/webhooks";
  const created = { url: "https://hooks.shop.example/", types: ["upload.finished"], description: "Golden" };
  const { id } = ((await operator.send("POST", path, created)) as CreatedWebhook).data.webhook;
  for (const change of [{ url: "https://hooks.shop.example/v2" }, { rotateSecret: true }, { enabled: false }]) {
    await operator.send("PATCH", `${path}/${id}`, change);
  }
  await operator.send("PATCH", `${path}/${id}`, { enabled: true });
  await operator.send("DELETE", `${path}/${id}`);
  const types = ["attribution.decided", "attribution.revised", "upload.finished", "report.finished", "export.finished"];
  await operator.send("POST", path, { url: "https://hooks.shop.invalid/", types });
}

interface CreatedWebhook {
  readonly data: { readonly webhook: { readonly id: string } };
}

interface Registered {
  readonly data: { readonly tokens: { readonly api: string; readonly sdk: string } };
}

interface Issued {
  readonly data: { readonly token: { readonly id: string } };
}

interface CreatedLink {
  readonly data: { readonly trackingLink: { readonly id: number; readonly shortURL: string } };
}

interface SentEvents {
  readonly data: { readonly devices: Readonly<Record<string, string>> };
}

/** Waits until streams whose names begin so, such as those of the third app, have an event of a type. */
async function until(eventStoreUrl: string, streamPrefix: string, type: string): Promise<void> {
  const log = createEventLog({ ...eventStoreAccess(eventStoreUrl), deadlineMs: 10_000 });
  for await (const batch of log.subscribe({ from: "start" })) {
    if (batch.some((event) => event.type === type && event.stream.startsWith(streamPrefix))) break;
  }
  await log.close();
}
