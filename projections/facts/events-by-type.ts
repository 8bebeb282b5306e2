import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import type {
  AppEvent,
  AppRegistered,
  AttributionRulesChanged,
  UploadedMetricEvent,
} from "../../domain/apps/events.ts";
import type { AttributionEvent } from "../../domain/attribution/events.ts";
import type { ChannelEvent } from "../../domain/channels/events.ts";
import { eventsOfType, type RecordedEvent } from "../../domain/event-catalogue.ts";
import type { ExchangeRatesSet } from "../../domain/exchange-rates/events.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import { stagingTypes } from "../../domain/uploads/upload-kinds.ts";
import type { UploadedFact } from "./uploads/uploads.ts";

/** What facts are made of. */
export type FactsEvent =
  | AppRegistered
  | TouchpointEvent
  | AppEventRecorded
  | AttributionEvent
  | UploadedFact
  | AppEvent
  | ChannelEvent
  | ExchangeRatesSet;

/** A batch by what its events are about, each part in log order. */
export interface EventsByType {
  readonly apps: readonly RecordedEvent<AppRegistered>[];
  readonly touchpoints: readonly RecordedEvent<TouchpointEvent>[];
  readonly appEvents: readonly RecordedEvent<AppEventRecorded>[];
  readonly decisions: readonly RecordedEvent<AttributionEvent>[];
  readonly uploads: readonly RecordedEvent<UploadedFact>[];
  readonly archived: readonly RecordedEvent<UploadedMetricEvent>[];
  readonly rules: readonly RecordedEvent<AttributionRulesChanged>[];
  readonly channels: readonly RecordedEvent<ChannelEvent>[];
  readonly rates: readonly RecordedEvent<ExchangeRatesSet>[];
}

export function groupByType(batch: readonly RecordedEvent<FactsEvent>[]): EventsByType {
  return {
    apps: eventsOfType(batch, "AppRegistered"),
    touchpoints: eventsOfType(batch, "ClickRecorded", "ImpressionRecorded"),
    appEvents: eventsOfType(batch, "AppEventRecorded"),
    decisions: eventsOfType(batch, "AttributionDecided", "AttributionRevised"),
    uploads: eventsOfType(batch, ...stagingTypes, "UploadIngested"),
    archived: eventsOfType(batch, "UploadedMetricArchived", "UploadedMetricRestored"),
    rules: eventsOfType(batch, "AttributionRulesChanged"),
    channels: eventsOfType(batch, "ChannelRegistered", "ChannelChanged"),
    rates: eventsOfType(batch, "ExchangeRatesSet"),
  };
}
