import type { AppRegistered } from "../../../domain/apps/events.ts";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { appRegistryStream } from "../../../domain/streams.ts";
import { simulate } from "../../../infra/demo/simulation.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { TrainingImpossible } from "../../../infra/training/training-impossible.ts";
import { shop } from "../../examples/app.ts";
import { anInstall } from "../../examples/app-events.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick, anImpression } from "../../examples/touchpoints.ts";

/** What training reads of a log. */
export type ReadLog = Pick<EventLog, "readAll" | "headPosition" | "read">;

/** A log in memory: the shop's registration and some events behind it; `streams` holds what is read by stream. */
export function logOf(events: readonly StoredEvent[], streams: Readonly<Record<string, readonly StoredEvent[]>> = {}) {
  const registered: AppRegistered = { type: "AppRegistered", data: shop };
  const recorded = recordedLog<StoredEvent>([registered, ...events]);
  const log: ReadLog = {
    headPosition: async () => recorded.at(-1)?.position ?? null,
    async *readAll() {
      yield* recorded;
    },
    async *read(stream) {
      const found = stream === appRegistryStream ? recorded.slice(0, 1) : recordedLog(streams[stream] ?? []);
      yield* found as never[];
    },
  };
  return log;
}

/** The events that the demo's simulation would bring into the log: touchpoints first, app events behind them. */
export function simulatedEvents(plan: {
  readonly seed: number;
  readonly now: number;
  readonly devices: number;
  readonly days?: number;
}): readonly StoredEvent[] {
  const { touchpoints, appEvents, links } = simulate({ days: 30, ...plan, timezone: shop.timezone, visits: 0 });
  const deviceKeys = new Map<string, string>();
  return [
    ...touchpoints.map((touchpoint) => {
      const { channel = "" } = links[touchpoint.link] ?? {};
      const { source } = aClick().data;
      return (touchpoint.kind === "click" ? aClick : anImpression)({
        touchpointId: touchpoint.touchpointId,
        at: new Date(touchpoint.at).toISOString(),
        origin: "back_fill",
        source: { ...source, channel },
        os: touchpoint.os,
        osVersion: null,
        person: touchpoint.ids,
      });
    }),
    ...appEvents.map(({ eventId, eventTimestamp, category, value, device }) => {
      const { id, os, osVersion, country: _, ...ids } = device;
      const deviceKey = deviceKeys.get(id) ?? exampleUuid("simulated", deviceKeys.size);
      deviceKeys.set(id, deviceKey);
      return anInstall({
        eventId,
        at: new Date(eventTimestamp).toISOString(),
        category,
        value: value === undefined ? null : String(value),
        currency: value === undefined ? null : "USD",
        deviceKey,
        device: { os, ...(osVersion === undefined ? {} : { osVersion }) },
        person: { deviceId: id, ...ids },
      });
    }),
  ];
}

/** The message with which a training or a check is refused; empty when it is not. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "";
  } catch (failure) {
    if (failure instanceof TrainingImpossible) return failure.message;
    throw failure;
  }
}
