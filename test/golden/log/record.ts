import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { uploadFile } from "../../../infra/api-client/uploads.ts";
import { runDemo } from "../../../infra/demo/demo.ts";
import { storeVisits } from "../../../infra/demo/simulated-files.ts";
import { eventStoreAccess } from "../../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../../infra/event-log/eventstore-event-log.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { type RunningApplication, runApplication, temporaryDirectory } from "../../support/application-process.ts";
import { testPostgres } from "../../support/stores.ts";
import { runTour } from "../../support/tour.ts";
import { eventsFile, hashesFile, hashesOf, recordedEvents, type StoredLine } from "./recorded-log.ts";

/**
 * Records the log of `test/golden/log` anew: the tour, a small demo, and calls that neither makes. After a change of a
 * read model `--hashes` computes the hashes alone.
 */
if (!process.argv.includes("--hashes")) await recordEvents();
const db = openDatabase(await testPostgres(), { max: 2, applicationName: "record" });
writeFileSync(hashesFile, `${JSON.stringify(await hashesOf(db, recordedEvents()), null, 2)}\n`);
await db.destroy();
console.log(`${eventsFile} has ${recordedEvents().length} events.`);
process.exit(0);

async function recordEvents(): Promise<void> {
  const directory = await temporaryDirectory();
  const data = join(directory.path, "data");
  const application = await runApplication(data);
  try {
    await runTour(application, directory.path, data);
    await runDemo(application.run, { seed: 1, devices: 40, visits: 5, allRows: false }, () => undefined);
    await callTheRest(application);
    const log = createEventLog({ ...eventStoreAccess(application.run.eventStoreUrl), deadlineMs: 10_000 });
    const lines: string[] = [];
    for await (const { position, revision, recordedAt, stream, id, type, data, metadata } of log.readAll(
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
    await log.close();
  } finally {
    await application.stop();
    await directory.remove();
  }
}

/** What neither the tour nor the demo does: changes of settings, revisions, refusals, files that are not accepted. */
async function callTheRest({ run, operator, client }: RunningApplication): Promise<void> {
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
  await owner.send("PATCH", `/v1/tracking-links/${link.id}/routing`, {
    fallbackPaths: { desktop: "https://shop.example" },
  });

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
  await sdk.send("POST", "/events/v1/apps/golden/app-events", { events: [event] });
  await untilAttributed(run.eventStoreUrl, "AttributionDecided");
  const click = { touchpointId: randomUUID(), kind: "click", timestamp: clickedAt, channel: "golden", gaid };
  await owner.send("POST", "/events/v1/apps/golden/touchpoints", { touchpoints: [click] });
  await untilAttributed(run.eventStoreUrl, "AttributionRevised");
}

interface Registered {
  readonly data: { readonly tokens: { readonly api: string; readonly sdk: string } };
}

interface Issued {
  readonly data: { readonly token: { readonly id: string } };
}

interface CreatedLink {
  readonly data: { readonly trackingLink: { readonly id: number } };
}

/** Waits until the log has an event of a type for the third app. */
async function untilAttributed(eventStoreUrl: string, type: string): Promise<void> {
  const log = createEventLog({ ...eventStoreAccess(eventStoreUrl), deadlineMs: 10_000 });
  for await (const batch of log.subscribe({ from: "start", streamPrefixes: ["attribution-3_"] })) {
    if (batch.some((event) => event.type === type)) break;
  }
  await log.close();
}
