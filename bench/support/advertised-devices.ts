import type { StoredEvent } from "../../domain/event-catalogue.ts";
import { streamName } from "../../domain/streams.ts";
import { shop, shopRegistered } from "../../test/examples/app.ts";
import { anInstall, anOrder } from "../../test/examples/app-events.ts";
import { wonBy } from "../../test/examples/decisions.ts";
import { exampleUuid } from "../../test/examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../test/examples/touchpoints.ts";

/** Events to append to one stream. */
export interface Chunk {
  readonly stream: string;
  readonly events: readonly StoredEvent[];
}

const perChunk = 250;
const campaigns = 40;
const countries = ["KR", "JP", "US", "DE"] as const;
const minute = 60_000;
const day = 24 * 60 * minute;
const firstDay = Date.parse("2026-02-01T00:00:00.000Z");

/**
 * Events of an app in a month, in chunks of devices and otherwise in the order of a log: each device sees an ad,
 * clicks, installs, has its install attributed, opens the app twice and buys.
 */
export function* advertisedDevices(devices: number): Generator<Chunk> {
  yield { stream: streamName("appRegistry", "all"), events: [shopRegistered] };
  for (let first = 0; first < devices; first += perChunk) {
    const chunk = Array.from({ length: Math.min(perChunk, devices - first) }, (_, index) => device(first + index));
    yield { stream: streamName("touchpoints", `${shop.appId}_bench`), events: chunk.flatMap((one) => one.touchpoints) };
    yield { stream: streamName("appEvents", `${shop.appId}_bench`), events: chunk.flatMap((one) => one.appEvents) };
    yield { stream: streamName("attribution", "bench"), events: chunk.map((one) => one.decision) };
  }
}

function device(number: number) {
  const at = (minutes: number): string =>
    new Date(firstDay + ((number * 7_919) % (28 * day)) + minutes * minute).toISOString();
  const campaign = number % campaigns;
  const source = {
    ...springSale,
    trackingLinkId: campaign,
    campaignParams: { campaign: `campaign-${campaign}`, adGroup: `group-${campaign % 7}` },
  };
  const person = { ip: `203.0.${number % 250}.${(number >> 8) % 250}`, gaid: exampleUuid("gaid", number) };
  const impression = anImpression({ touchpointId: exampleUuid("seen", number), at: at(0), source, person });
  const click = aClick({ touchpointId: exampleUuid("clicked", number), at: at(1), source, person });
  const described = {
    deviceKey: exampleUuid("device", number),
    device: {
      os: "Android",
      osVersion: "15",
      country: countries[number % countries.length] ?? "KR",
      appVersion: "2.1",
    },
    person: { deviceId: `device-${number}`, ...person, externalUserId: `user-${number}` },
  } as const;
  const install = anInstall({ ...described, eventId: exampleUuid("installed", number), at: at(5) });
  const opened = (kind: string, minutes: number) =>
    anInstall({ ...described, eventId: exampleUuid(kind, number), at: at(minutes), category: "app_open" });
  const value = String(1_000 + (number % 90) * 100);
  const order = anOrder({ ...described, eventId: exampleUuid("ordered", number), at: at(9), value });
  return {
    touchpoints: [impression, click],
    appEvents: [install, opened("opened", 6), opened("opened-again", 8), order],
    decision: wonBy(install, click, "device_id"),
  };
}
