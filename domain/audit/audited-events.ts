import type { EventOfType, EventType } from "../event-catalogue.ts";
import type { RowsStaged } from "../uploads/events.ts";

/** The kinds of things that were changed or read. */
export interface AuditSubject {
  readonly kind:
    | "app"
    | "token"
    | "channel"
    | "tracking_link"
    | "report_task"
    | "export"
    | "upload"
    | "uploaded_metric"
    | "exchange_rates"
    | "model_bundle"
    | "webhook"
    | "device";
  readonly id: string;
}

interface Audited<Data> {
  subject(data: Data): AuditSubject;
  /** Whether only the first event about the subject names its app. */
  readonly isOfSubjectsApp?: true;
  /** Fields that are left out: secrets, and large ones. */
  readonly omits?: readonly (keyof Data)[];
  /** The data that is shown, if parts of a field are left out. */
  shown?(data: Data): object;
}

const ofApp: Audited<{ readonly appId: number }> = { subject: ({ appId }) => ({ kind: "app", id: String(appId) }) };
const ofToken: Audited<{ readonly tokenId: string }> = { subject: ({ tokenId }) => ({ kind: "token", id: tokenId }) };
const ofChannel: Audited<{ readonly name: string }> = { subject: ({ name }) => ({ kind: "channel", id: name }) };
const ofPartner: Audited<{ readonly channel: string }> = {
  subject: ({ channel }) => ({ kind: "channel", id: channel }),
};
const ofLink: Audited<{ readonly linkId: number }> = {
  subject: ({ linkId }) => ({ kind: "tracking_link", id: String(linkId) }),
  isOfSubjectsApp: true,
};
const ofTask: Audited<{ readonly taskId: string }> = {
  subject: ({ taskId }) => ({ kind: "report_task", id: taskId }),
  isOfSubjectsApp: true,
};
const ofExport: Audited<{ readonly reportId: number }> = {
  subject: ({ reportId }) => ({ kind: "export", id: String(reportId) }),
  isOfSubjectsApp: true,
};
const ofUpload: Audited<{ readonly requestId: string }> = {
  subject: ({ requestId }) => ({ kind: "upload", id: requestId }),
  isOfSubjectsApp: true,
};
const ofMetric: Audited<{ readonly eventCategory: string }> = {
  subject: ({ eventCategory }) => ({ kind: "uploaded_metric", id: eventCategory }),
};
const ofBundle: Audited<{ readonly bundleId: string }> = {
  subject: ({ bundleId }) => ({ kind: "model_bundle", id: bundleId }),
};
const ofWebhook: Audited<{ readonly webhookId: string }> = {
  subject: ({ webhookId }) => ({ kind: "webhook", id: webhookId }),
};
/** Staged rows, of whatever kind of upload, are never audited: the other events of the upload are. */
type AuditableType = Exclude<EventType, RowsStaged["type"]>;

/** Types that are not audited: traffic, its consequences, and internals of the log. They are explained elsewhere. */
const none = null;

/** The events in the audit trail, and their subjects (contract/administration.md#audit-trail). */
const audited: { readonly [Type in AuditableType]: Audited<EventOfType<Type>["data"]> | null } = {
  LogOpened: none,
  LogClaimed: none,
  AppRegistered: { ...ofApp, omits: ["salt"] },
  AppSettingsChanged: ofApp,
  TokenIssued: { ...ofToken, omits: ["secretHashRest"] },
  TokenRevoked: ofToken,
  ChannelRegistered: ofChannel,
  ChannelChanged: ofChannel,
  TrackingLinkCreated: ofLink,
  OgTagChanged: ofLink,
  RoutingChanged: ofLink,
  CampaignParamsChanged: ofLink,
  TrackingLinkArchived: ofLink,
  TrackingLinkRestored: ofLink,
  ImpressionRecorded: none,
  ClickRecorded: none,
  AppEventRecorded: none,
  AttributionDecided: none,
  AttributionRevised: none,
  DeferredLinkOpened: none,
  // The event that `asOf` names may be another app's.
  ReportRequested: { ...ofTask, shown: ({ query: { asOf: _, ...query }, ...data }) => ({ ...data, query }) },
  ReportStarted: ofTask,
  ReportSucceeded: ofTask,
  ReportFailed: ofTask,
  ReportCanceled: ofTask,
  ExportRequested: ofExport,
  ExportCompleted: { ...ofExport, omits: ["resumePoints"] },
  ExportFailed: ofExport,
  FileChunk: none,
  UploadReceived: ofUpload,
  UploadValidated: ofUpload,
  UploadIngested: ofUpload,
  UploadSucceeded: ofUpload,
  UploadRejected: ofUpload,
  UploadFailed: ofUpload,
  UploadedMetricArchived: ofMetric,
  UploadedMetricRestored: ofMetric,
  AttributionRulesChanged: ofApp,
  ContextDeactivated: ofApp,
  ContextActivated: ofApp,
  ExchangeRatesSet: { subject: ({ date }) => ({ kind: "exchange_rates", id: date }) },
  ContextAnswered: none,
  ContextRefused: none,
  BundleRegistered: { ...ofBundle, omits: ["training"] },
  BundleActivated: ofBundle,
  BundleRetired: ofBundle,
  ChannelCertified: { ...ofPartner, omits: ["secretHashRest"] },
  CertificationRevoked: ofPartner,
  ConversionModelPublished: ofApp,
  PartnerEventsMapped: ofPartner,
  IdempotencyKeyClaimed: none,
  AnswerStored: none,
  PersonalDataRead: {
    subject: (read) =>
      read.what === "attributions"
        ? { kind: "device", id: read.deviceKey }
        : { kind: "export", id: String(read.reportId) },
  },
  WebhookCreated: { ...ofWebhook, omits: ["secretHash"] },
  WebhookChanged: ofWebhook,
  WebhookSecretRotated: { ...ofWebhook, omits: ["secretHash"] },
  WebhookDisabled: ofWebhook,
  WebhookEnabled: ofWebhook,
  WebhookDeleted: ofWebhook,
};

/** The types of the events in the audit trail. */
export const auditedTypes: readonly AuditableType[] = (Object.keys(audited) as AuditableType[]).filter(
  (type) => audited[type] !== none,
);

/** An event in the audit trail. */
export interface AuditedEvent {
  /** Null: of the whole instance. `of_subject`: the first event about the subject names it. */
  readonly appId: number | null | "of_subject";
  readonly subject: AuditSubject;
  readonly data: { readonly [field: string]: unknown };
}

/** The audit trail's entry for an event of {@link auditedTypes}: its subject, and its data without secrets. */
export function auditedEvent({ type, data }: EventOfType<AuditableType>): AuditedEvent {
  const spec = audited[type] as Audited<object> | null;
  if (spec === null) throw new Error(`${type} is not in the audit trail`);
  const fields = Object.entries(spec.shown?.(data) ?? data).filter(
    ([field]) => !(spec.omits as readonly string[] | undefined)?.includes(field),
  );
  const { appId = spec.isOfSubjectsApp ? "of_subject" : null } = data as { readonly appId?: number | null };
  return { appId, subject: spec.subject(data), data: Object.fromEntries(fields) };
}
