import { createHash, randomUUID } from "node:crypto";
import { trackingLinkStream } from "../domain/streams.ts";
import type { TrackingLinkCreated } from "../domain/tracking-links/events.ts";
import { linkIds } from "../domain/tracking-links/link-ids.ts";
import { eventStoreAccess } from "../infra/event-log/event-store-access.ts";
import { createEventLog } from "../infra/event-log/eventstore-event-log.ts";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../test/support/application-process.ts";
import { atLeast, type BenchLine, below } from "./support/bench-line.ts";

const creators = 32;
const createSeconds = 8;
const minCreated = 300;
const links = 100_000;
const concurrentAppends = 64;
const requests = 101;
const maxListMs = 20;
const maxSearchMs = 100;
const projectionTimeoutMs = 120_000;

/** Creates links over HTTP, then lists and searches 100,000 of them. */
export async function benchTrackingLinks(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { api } = await registerApp(application.operator);
    const send = sender(application.run, api);
    const created = await createPerSecond(send);
    const position = await appendLinks(application, links);
    const today = new Date();
    const range = `from=${dayOf(today, -1)}&to=${dayOf(today, 0)}`;
    await untilListed(application, api, position, range);
    const list = await medianOf(() => send("GET", `/v1/tracking-links?${range}&size=50`));
    const search = await medianOf((run) =>
      send("GET", `/v1/tracking-links?${range}&size=50&keyword=campaign-${run * 37}`),
    );
    return [
      atLeast(minCreated, { path: "link creation, 32 at a time", measured: created, unit: "links/s" }),
      below(maxListMs, { path: `list of 50 among ${links} links, median`, measured: list, unit: "ms" }),
      below(maxSearchMs, { path: `keyword search among ${links} links, median`, measured: search, unit: "ms" }),
    ];
  } finally {
    await application.stop();
    await directory.remove();
  }
}

/** Sends without idempotency keys, which cost two more appends each. */
type Send = (method: string, path: string, body?: unknown) => Promise<string>;

function sender({ baseUrl }: { readonly baseUrl: string }, token: string): Send {
  return async (method, path, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await fetch(`${baseUrl}${path}`, { method, headers, body: JSON.stringify(body) ?? null });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
}

async function createPerSecond(send: Send): Promise<number> {
  const end = performance.now() + createSeconds * 1000;
  let created = 0;
  const creator = async (): Promise<void> => {
    while (performance.now() < end) {
      const body = {
        channel: "newsletter",
        campaignParams: { campaign: "autumn" },
        deeplinkUrl: "https://shop.example/",
      };
      await send("POST", "/v1/tracking-links", body);
      created += 1;
    }
  };
  await Promise.all(Array.from({ length: creators }, creator));
  return Math.round(created / createSeconds);
}

/** Appends links of app 1 directly to the log, because creating 100,000 takes minutes; returns the last position. */
export async function appendLinks(application: RunningApplication, count: number): Promise<bigint> {
  const log = createEventLog({ ...eventStoreAccess(application.run.eventStoreUrl), deadlineMs: 30_000 });
  let next = 0;
  let last = 0n;
  const appender = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      const data = linkNumber(number);
      const metadata = { ...bench, occurredAt: new Date().toISOString() };
      const event = { id: randomUUID(), type: "TrackingLinkCreated", data, metadata };
      const appended = await log.append(trackingLinkStream(data.linkId), "no_stream", [event]);
      if (appended.outcome === "appended" && appended.position.commit > last) last = appended.position.commit;
    }
  };
  await Promise.all(Array.from({ length: concurrentAppends }, appender));
  await log.close();
  return last;
}

/** Short id of a link that {@link appendLinks} has appended. */
export function shortIdOf(number: number): string {
  return `bench-${number}`;
}

function linkNumber(number: number): TrackingLinkCreated["data"] {
  const shortId = shortIdOf(number);
  return {
    ...linkIds(createHash("sha256").update(shortId).digest()),
    appId: 1,
    shortId,
    channel: `channel-${number % 40}`,
    channelType: "custom",
    campaignParams: { campaign: `campaign-${number % 5_000}`, adGroup: `group-${number % 300}` },
    isReengagement: "OFF",
    deeplinkUrl: "https://shop.example/",
    fallbackPaths: {
      ios: null,
      android: null,
      desktop: null,
      option: { iosCustomProductPageId: null, androidCustomStoreListing: null },
    },
    ogTag: { title: null, description: null, imageUrl: null },
  };
}

async function untilListed(
  application: RunningApplication,
  token: string,
  position: bigint,
  range: string,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "x-min-position": position.toString() };
  for (const deadline = Date.now() + projectionTimeoutMs; Date.now() < deadline; ) {
    const response = await fetch(`${application.run.baseUrl}/v1/tracking-links?${range}&size=1`, { headers });
    await response.arrayBuffer();
    if (response.ok) return;
  }
  throw new Error(`The links were not projected in ${projectionTimeoutMs} ms`);
}

async function medianOf(run: (run: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < requests; number += 1) {
    const since = performance.now();
    await run(number);
    times.push(performance.now() - since);
  }
  return times.sort((one, other) => one - other)[Math.floor(requests / 2)] ?? 0;
}

function dayOf(day: Date, shift: number): string {
  return new Date(day.getTime() + shift * 86_400_000 + 9 * 3_600_000).toISOString().slice(0, 10);
}

const bench = {
  actor: { kind: "operator" },
  requestId: "bench",
  correlationId: "bench",
  causationId: "bench",
  schemaVersion: 1,
} as const;
