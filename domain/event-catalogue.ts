// NOTE storage format
import type { AppEventsEvent } from "./app-events/events.ts";
import type { AppRegistryEvent, AppStreamEvent } from "./apps/events.ts";
import type { AttributionEvent } from "./attribution/events.ts";
import type { PersonalDataRead } from "./audit/events.ts";
import type { CertificationEvent, ChannelEvent } from "./channels/events.ts";
import type { ConversionModelEvent } from "./conversion-values/events.ts";
import type { DomainEvent, Recorded } from "./event.ts";
import type { ExchangeRatesSet } from "./exchange-rates/events.ts";
import type { IdempotencyEvent } from "./idempotency/events.ts";
import type { ContextCallEvent, ModelBundleEvent } from "./prediction/events.ts";
import type { RawExportEvent } from "./raw-exports/events.ts";
import type { ReportTaskEvent } from "./report-tasks/events.ts";
import type { TokenEvent } from "./tokens/events.ts";
import type { TouchpointEvent } from "./touchpoints/events.ts";
import type { DeferredLinkOpened, TrackingLinkEvent } from "./tracking-links/events.ts";
import { type StoredType, storedType } from "./upcasters.ts";
import type { UploadEvent } from "./uploads/events.ts";
import type { WebhookEvent } from "./webhooks/events.ts";

/** The first event of every log: its id. */
export type LogOpened = DomainEvent<"LogOpened", { readonly logId: string }>;

/** From here on the streams belong to the instance that has this database. */
export type LogClaimed = DomainEvent<"LogClaimed", { readonly databaseId: string }>;

/** A part of a file. Its bytes are stored as they are, not as JSON. */
export type FileChunk = DomainEvent<"FileChunk", Uint8Array>;

/** The categories of streams, and the events that the streams of each contain. */
export interface EventsByCategory {
  log: LogOpened;
  logClaims: LogClaimed;
  appRegistry: AppRegistryEvent;
  app: AppStreamEvent;
  token: TokenEvent;
  channel: ChannelEvent;
  trackingLink: TrackingLinkEvent;
  deferredLink: DeferredLinkOpened;
  touchpoints: TouchpointEvent;
  appEvents: AppEventsEvent;
  attribution: AttributionEvent;
  upload: UploadEvent;
  uploadFile: FileChunk;
  reportTask: ReportTaskEvent;
  rawExports: RawExportEvent;
  exchangeRates: ExchangeRatesSet;
  modelBundles: ModelBundleEvent;
  modelFile: FileChunk;
  contextCalls: ContextCallEvent;
  channelCertifications: CertificationEvent;
  conversionModel: ConversionModelEvent;
  idempotency: IdempotencyEvent;
  dataRead: PersonalDataRead;
  webhooks: WebhookEvent;
}

export type Category = keyof EventsByCategory;

/** Every event that can be in the log, discriminated by `type`. */
export type StoredEvent = EventsByCategory[Category];

export type EventType = StoredEvent["type"];

export type EventOfType<Type extends EventType> = Extract<StoredEvent, { readonly type: Type }>;

/** An event with its place in the log and its metadata. A union of events stays discriminated by `type`. */
export type RecordedEvent<Event extends DomainEvent = StoredEvent> = Event & Recorded;

export type RecordedOfType<Type extends EventType> = RecordedEvent<EventOfType<Type>>;

/** Every event type that is or was ever stored, in an order that a log could have. */
export const eventCatalogue: { readonly [Type in EventType]: StoredType } = {
  LogOpened: storedType(),
  LogClaimed: storedType(),
  AppRegistered: storedType(),
  AppSettingsChanged: storedType(),
  TokenIssued: storedType(),
  TokenRevoked: storedType(),
  ChannelRegistered: storedType(),
  ChannelChanged: storedType(),
  TrackingLinkCreated: storedType(),
  OgTagChanged: storedType(),
  RoutingChanged: storedType(),
  CampaignParamsChanged: storedType(),
  TrackingLinkArchived: storedType(),
  TrackingLinkRestored: storedType(),
  ImpressionRecorded: storedType(),
  ClickRecorded: storedType(),
  AppEventRecorded: storedType(),
  AttributionDecided: storedType(),
  AttributionRevised: storedType(),
  DeferredLinkOpened: storedType(),
  ReportRequested: storedType(),
  ReportStarted: storedType(),
  ReportSucceeded: storedType(),
  ReportFailed: storedType(),
  ReportCanceled: storedType(),
  ExportRequested: storedType(),
  ExportCompleted: storedType(),
  ExportFailed: storedType(),
  FileChunk: storedType(),
  UploadReceived: storedType(),
  UploadValidated: storedType(),
  MetricRowsStaged: storedType(),
  SpendRowsStaged: storedType(),
  UploadIngested: storedType(),
  UploadSucceeded: storedType(),
  UploadRejected: storedType(),
  UploadFailed: storedType(),
  UploadedMetricArchived: storedType(),
  UploadedMetricRestored: storedType(),
  AttributionRulesChanged: storedType(),
  ContextDeactivated: storedType(),
  ContextActivated: storedType(),
  ExchangeRatesSet: storedType(),
  ContextAnswered: storedType(),
  ContextRefused: storedType(),
  BundleRegistered: storedType(),
  BundleActivated: storedType(),
  BundleRetired: storedType(),
  ChannelCertified: storedType(),
  CertificationRevoked: storedType(),
  ConversionModelPublished: storedType(),
  PartnerEventsMapped: storedType(),
  IdempotencyKeyClaimed: storedType(),
  AnswerStored: storedType(),
  PersonalDataRead: storedType(),
  WebhookCreated: storedType(),
  WebhookChanged: storedType(),
  WebhookSecretRotated: storedType(),
  WebhookDisabled: storedType(),
  WebhookEnabled: storedType(),
  WebhookDeleted: storedType(),
};

/** Whether the type is in the catalogue: the log can also contain events of other applications. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventCatalogue, type);
}

/** Those of the events that are of one of the types, in their order. */
export function eventsOfType<Event extends RecordedEvent, Type extends Event["type"]>(
  events: readonly Event[],
  ...types: readonly Type[]
): readonly Extract<Event, { readonly type: Type }>[] {
  return events.filter((event): event is Extract<Event, { readonly type: Type }> =>
    (types as readonly EventType[]).includes(event.type),
  );
}
