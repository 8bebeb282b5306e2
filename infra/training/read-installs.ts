import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import type { AppRegistryEvent, AttributionRulesChanged } from "../../domain/apps/events.ts";
import { defaultRules } from "../../domain/attribution/default-rules.ts";
import { builtInChannels } from "../../domain/channels/built-in.ts";
import type { ChannelEvent } from "../../domain/channels/events.ts";
import { isUndecodable } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { vectorOf } from "../../domain/prediction/features.ts";
import { installFeatures } from "../../domain/prediction/install-features.ts";
import { appRegistryStream } from "../../domain/streams.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import { localTime } from "../../domain/values/local-time.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { keyOf } from "./numbered-match-keys.ts";
import { touchpointIndex } from "./touchpoint-index.ts";
import { TrainingImpossible } from "./training-impossible.ts";
import { columnNames, type Installs, installCollector } from "./training-input.ts";
import { idNumbers } from "./typed-columns.ts";

/**
 * All installs of an app by one pass over the log: their features as of their own positions
 * (contract/prediction.md#features), by the function that serves context calls, and their labels
 * (contract/prediction.md#training). The first of several events with the same id counts.
 */
export async function readInstalls(
  log: Pick<EventLog, "readAll" | "headPosition">,
  app: TrainedApp,
  progress: PassProgress,
): Promise<Installs> {
  const reader = installReader(app);
  await eachEvent(log, reader.take, progress);
  return reader.installs();
}

type Read =
  | RecordedEvent<AppEventRecorded>
  | RecordedEvent<TouchpointEvent>
  | RecordedEvent<AttributionRulesChanged>
  | RecordedEvent<ChannelEvent>;

/** Takes the events of the log in their order; ignores events that do not affect installs of the app. */
function installReader(app: TrainedApp): { take(event: RecordedEvent): void; installs(): Installs } {
  const touchpoints = touchpointIndex();
  const eventIds = idNumbers();
  const deviceNumbers = idNumbers();
  const collector = installCollector(eventIds);
  const selfAttributing = new Set(
    builtInChannels.filter((channel) => channel.selfAttributing).map((channel) => channel.name),
  );
  let rules = defaultRules;

  const takeAppEvent = ({ data, position }: RecordedEvent<AppEventRecorded>): void => {
    const known = eventIds.size();
    const eventNumber = eventIds.numberOf(data.eventId);
    if (eventNumber <= known) return;
    const at = Date.parse(data.at);
    const device = deviceNumbers.numberOf(data.deviceKey);
    collector.addEvent(device, at, data.category === "app_order_complete");
    if (data.category !== "app_install") return;
    const os = data.device.os ?? null;
    const osVersion = data.device.osVersion ?? null;
    const numbers = touchpoints.numbersOf({ deviceKey: data.deviceKey, os, osVersion, person: data.person });
    const features = installFeatures({
      target: {
        appId: app.appId,
        eventId: data.eventId,
        category: data.category,
        at,
        position: position.commit,
        deviceKey: String(numbers.device),
        gaidKey: keyOf(numbers.gaid),
        idfaKey: keyOf(numbers.idfa),
        idfvKey: keyOf(numbers.idfv),
      },
      local: localTime(app.timezone, at),
      os,
      value: data.value,
      isReinstall: collector.hasInstalled(device, at),
      candidates: { listed: touchpoints.candidatesOf({ at, clickId: data.clickId, numbers }), unlisted: 0 },
      rules,
      isSelfAttributing: (channel) => selfAttributing.has(channel),
    });
    collector.addInstall(eventNumber, device, at, vectorOf(features, columnNames));
  };

  return {
    take: (event) => {
      const read = event as Read;
      switch (read.type) {
        case "AppEventRecorded":
          if (read.data.appId === app.appId) takeAppEvent(read);
          return;
        case "ClickRecorded":
        case "ImpressionRecorded":
          if (read.data.appId !== app.appId) return;
          touchpoints.add(read.type === "ClickRecorded" ? "click" : "impression", read.data, read.position.commit);
          return;
        case "AttributionRulesChanged":
          if (read.data.appId === app.appId) rules = read.data.rules;
          return;
        case "ChannelRegistered":
        case "ChannelChanged":
          if (read.data.selfAttributing) selfAttributing.add(read.data.name);
          else selfAttributing.delete(read.data.name);
      }
    },
    installs: collector.collected,
  };
}

/** Called with the share of the log that was read, from 0 to 1. */
type PassProgress = (share: number) => void;

const eventsBetweenProgress = 2_000;

/**
 * Reads the log once, from its start to its head at the time of the call, and passes on every decodable event. Reads
 * instead of subscribing, so that it fails when the store is gone.
 */
async function eachEvent(
  log: Pick<EventLog, "readAll" | "headPosition">,
  take: (event: RecordedEvent) => void,
  progress: PassProgress,
): Promise<void> {
  const head = await log.headPosition();
  if (head === null) return;
  let count = 0;
  for await (const event of log.readAll("start", Number.MAX_SAFE_INTEGER)) {
    if (event.position.commit > head.commit) break;
    if (!isUndecodable(event.data)) take(event);
    count += 1;
    if (count % eventsBetweenProgress === 0) progress(Number(event.position.commit) / Number(head.commit));
    if (event.position.commit === head.commit) break;
  }
  progress(1);
}

/** The properties of an app that its installs depend on. */
export interface TrainedApp {
  readonly appId: number;
  readonly name: string;
  readonly timezone: string;
}

/**
 * Finds an app by its name.
 * @throws {TrainingImpossible} when there is none
 */
export async function findApp(log: Pick<EventLog, "read">, name: string): Promise<TrainedApp> {
  for await (const event of log.read(appRegistryStream)) {
    if (event.type !== "AppRegistered") continue;
    const { data } = event as typeof event & AppRegistryEvent;
    if (data.name === name) return { appId: data.appId, name, timezone: data.timezone };
  }
  throw new TrainingImpossible(`There is no app ${name}.`);
}
