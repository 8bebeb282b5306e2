import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventMetadata } from "../../../commands/event-metadata.ts";
import { openDeferredRoute } from "../../../commands/tracking-links/open-deferred.ts";
import type { AttributionEvent } from "../../../domain/attribution/events.ts";
import type { LogPosition } from "../../../domain/event.ts";
import { touchpointJournal } from "../../../domain/streams.ts";
import { shop } from "../../examples/app.ts";
import { anInstall } from "../../examples/app-events.ts";
import { wonBy } from "../../examples/decisions.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { startApplication } from "../../support/application.ts";

type Decision = AttributionEvent["data"];

const hourMs = 60 * 60_000;
const destination = "shop://sale/spring";
const click = aClick({ destination });
/** What the route has read, in order. */
const reads: string[] = [];
let decision: Decision | "unknown" | "undecided" = "unknown";
let position: LogPosition | null = null;

const application = await startApplication({
  routes: ({ log }) => [
    openDeferredRoute({
      log,
      decisionInForce: async () => {
        reads.push("decision");
        return decision;
      },
      shownWinner: async () => {
        reads.push("winner");
        return position;
      },
      openPageUrl: "https://api.example/open",
    }),
  ],
});

const anInstallAt = (at: number): Decision => wonBy(anInstall({ at: new Date(at).toISOString() }), click).data;

/** The response to a call, and what it has read. */
async function open(eventId: string) {
  reads.length = 0;
  const sent = { token: "sdk", body: { eventId } };
  const { status, json } = await application.call("POST", "/v1/tracking-links/open", sent);
  return { status, json: json as { readonly data?: unknown; readonly code?: string }, reads: [...reads] };
}

const none = { destination: null, clickId: null, trackingLinkId: null };

const opening = suite("opening a deferred deep link");
opening.before(async () => {
  const metadata = eventMetadata(click.type, {
    ...{ actor: { kind: "operator" }, requestId: "r-1", occurredAt: "2026-03-01T00:00:00.000Z" },
  });
  const event = { id: randomUUID(), ...click, metadata };
  const appended = await application.log.append(touchpointJournal(shop.appId, "test"), "no_stream", [event]);
  if (appended.outcome === "appended") position = appended.position;
});
opening.after(() => application.close());

opening("returns the destination of the winner once, and reads no attribution again", async () => {
  decision = anInstallAt(Date.now());
  const eventId = randomUUID();
  const { touchpointId: clickId, source } = click.data;
  const link = { destination, clickId, trackingLinkId: source.trackingLinkId };
  const first = await open(eventId);
  assert.equal([first.status, first.json.data, first.reads], [200, link, ["decision", "winner"]]);
  const again = await open(eventId);
  assert.equal([again.status, again.json.data, again.reads], [200, none, []]);
});

opening("looks up no winner of an install that is too old, nor of another event", async () => {
  const old = anInstallAt(Date.now() - 25 * hourMs);
  for (const refused of [old, { ...anInstallAt(Date.now()), category: "app_deeplink_open" } as Decision]) {
    decision = refused;
    const { status, json, reads: read } = await open(randomUUID());
    assert.equal([status, json.data, read], [200, none, ["decision"]]);
  }
});

opening("is 404 for an unknown event and 503 for an undecided one", async () => {
  decision = "unknown";
  const unknown = await open(randomUUID());
  assert.equal([unknown.status, unknown.json.code], [404, "ATTRIBUTION_NOT_FOUND"]);
  assert.is((await open("no uuid")).json.code, "ATTRIBUTION_NOT_FOUND");
  decision = "undecided";
  const undecided = await open(randomUUID());
  assert.equal([undecided.status, undecided.json.code], [503, "READ_MODEL_BEHIND"]);
});

opening.run();
