import { type ApiClient, required } from "../../client/index.ts";
import { clickIdParameter } from "../../domain/values/click-id.ts";
import { localDate } from "../../domain/values/local-time.ts";
import { forEachConcurrently } from "../process/concurrency-limit.ts";
import type {
  SimulatedAppEvent,
  SimulatedLink,
  SimulatedTouchpoint,
  SimulatedVisit,
  Simulation,
} from "./simulation.ts";

const batchSize = 500;
const concurrentBatches = 2;
const concurrentVisits = 16;
/** As of the client's requests. */
const visitTimeoutMs = 30_000;

/** Called with how much of one kind of traffic was sent. */
export type Progress = (step: "links" | "touchpoints" | "app events" | "visits", done: number, total: number) => void;

export interface DemoLink extends SimulatedLink {
  readonly id: number;
  readonly shortUrl: string;
}

/** Creates links, in their order. */
export async function createLinks(
  api: ApiClient,
  links: readonly SimulatedLink[],
  progress: Progress,
): Promise<readonly DemoLink[]> {
  const created: DemoLink[] = [];
  for (const link of links) {
    const { data } = required(await api.POST("/v1/tracking-links", { body: link }));
    const { id, shortUrl } = data.trackingLink;
    created.push({ ...link, id, shortUrl });
    progress("links", created.length, links.length);
  }
  return created;
}

/** Back-fills past touchpoints (contract/ingest.md#touchpoints). */
export async function pushTouchpoints(
  api: ApiClient,
  appName: string,
  touchpoints: readonly SimulatedTouchpoint[],
  links: readonly DemoLink[],
  progress: Progress,
): Promise<void> {
  const bodies = touchpoints.map((touchpoint) => {
    const link = links[touchpoint.link];
    return {
      touchpointId: touchpoint.touchpointId,
      kind: touchpoint.kind,
      timestamp: touchpoint.at,
      channel: link?.channel,
      trackingLinkId: link?.id,
      campaignParams: link?.campaignParams,
      os: touchpoint.os,
      ...touchpoint.ids,
    };
  });
  await inBatches(
    bodies,
    (batch) => sendAccepted(api, `/events/v1/apps/${appName}/touchpoints`, { touchpoints: batch }),
    (done) => progress("touchpoints", done, bodies.length),
  );
}

/** Sends app events (contract/ingest.md#app-events) in the order of time. */
export async function pushAppEvents(
  api: ApiClient,
  appName: string,
  events: readonly SimulatedAppEvent[],
  progress: Progress,
): Promise<void> {
  await inBatches(
    events,
    (batch) => sendAccepted(api, `/events/v1/apps/${appName}/app-events`, { events: batch }),
    (done) => progress("app events", done, events.length),
  );
}

/**
 * Opens links over HTTP and installs the app right after, with the redirect's `tl_click_id` as install referrer, as app
 * stores pass it on. Visits are added to the simulation's ground truth.
 */
export async function makeVisits(
  api: ApiClient,
  app: { readonly name: string; readonly timezone: string },
  simulation: Simulation,
  links: readonly DemoLink[],
  progress: Progress,
): Promise<void> {
  const installs: (SimulatedAppEvent & { referrer: { clickId: string } })[] = [];
  let done = 0;
  await forEachConcurrently(concurrentVisits, simulation.visits, async (visit) => {
    const link = links[visit.link];
    if (link === undefined) throw new Error("A visit names a link that was not created");
    const clickId = await openLink(link.shortUrl, visit);
    const today = localDate(app.timezone, Date.now());
    simulation.truth.click(today, link);
    if (visit.installs) {
      installs.push({ ...visit.install, eventTimestamp: Date.now(), referrer: { clickId } });
      simulation.truth.event(today, link, visit.install.category, 0);
    }
    done += 1;
    progress("visits", done, simulation.visits.length);
  });
  await inBatches(installs, (batch) => sendAccepted(api, `/events/v1/apps/${app.name}/app-events`, { events: batch }));
}

/** Opens a link like a browser, without following the redirect; returns its click id. Rejects after 30 s. */
export async function openLink(url: string, visit: Pick<SimulatedVisit, "userAgent">): Promise<string> {
  const response = await fetch(url, {
    redirect: "manual",
    headers: { "user-agent": visit.userAgent },
    signal: AbortSignal.timeout(visitTimeoutMs),
  });
  await response.arrayBuffer();
  const location = response.headers.get("location");
  const clickId = location === null ? null : new URL(location).searchParams.get(clickIdParameter);
  if (response.status !== 302 || clickId === null)
    throw new Error(`${url} responded with ${response.status} instead of a redirect`);
  return clickId;
}

async function sendAccepted(api: ApiClient, path: string, body: unknown): Promise<void> {
  const { data } = (await (await api.call("POST", path, body)).json()) as {
    readonly data: { readonly rejected: readonly { readonly message: string }[] };
  };
  const [first] = data.rejected;
  if (first !== undefined) throw new Error(`${path} rejected ${data.rejected.length}: ${first.message}`);
}

async function inBatches<Item>(
  items: readonly Item[],
  send: (batch: readonly Item[]) => Promise<void>,
  onSent: (done: number) => void = () => {},
): Promise<void> {
  const starts = Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) => index * batchSize);
  let done = 0;
  await forEachConcurrently(concurrentBatches, starts, async (start) => {
    const batch = items.slice(start, start + batchSize);
    await send(batch);
    done += batch.length;
    onSent(done);
  });
}
