import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import { defaultRules } from "../../domain/attribution/default-rules.ts";
import { builtInChannels } from "../../domain/channels/built-in.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { vectorOf } from "../../domain/prediction/features.ts";
import { installFeatures } from "../../domain/prediction/install-features.ts";
import { localTime } from "../../domain/values/local-time.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { TrainedApp } from "./find-app.ts";
import { idNumbers } from "./id-numbers.ts";
import { columnNames, type Installs, installCollector } from "./installs.ts";
import { eachEvent, type PassProgress } from "./log-pass.ts";
import { touchpointIndex } from "./touchpoint-index.ts";

/**
 * All installs of an app by one pass through the log: the features of each as its own position knew them
 * (contract/prediction.md#features), by the function that answers context calls, and its labels
 * (contract/prediction.md#training). Of events with the same id the first counts.
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

/** Takes the events of the log in their order; whatever is of no concern to installs of the app is passed over. */
export function installReader(app: TrainedApp): { take(event: RecordedEvent): void; installs(): Installs } {
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
    const key = (number: number): bigint | null => (number === 0 ? null : BigInt(number));
    const features = installFeatures({
      target: {
        appId: app.appId,
        eventId: data.eventId,
        category: data.category,
        at,
        position: position.commit,
        deviceKey: String(numbers.device),
        gaidKey: key(numbers.gaid),
        idfaKey: key(numbers.idfa),
        idfvKey: key(numbers.idfv),
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
      switch (event.type) {
        case "AppEventRecorded":
          if (event.data.appId === app.appId) takeAppEvent(event);
          return;
        case "ClickRecorded":
        case "ImpressionRecorded":
          if (event.data.appId !== app.appId) return;
          touchpoints.add(event.type === "ClickRecorded" ? "click" : "impression", event.data, event.position.commit);
          return;
        case "AttributionRulesChanged":
          if (event.data.appId === app.appId) rules = event.data.rules;
          return;
        case "ChannelRegistered":
        case "ChannelChanged":
          if (event.data.selfAttributing) selfAttributing.add(event.data.name);
          else selfAttributing.delete(event.data.name);
      }
    },
    installs: collector.collected,
  };
}
