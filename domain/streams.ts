import type { Recorded } from "./event.ts";
import type { Category, EventsByCategory, RecordedEvent } from "./event-catalogue.ts";

/** `category-id`. What the stream contains follows from its category (`EventsByCategory`). */
export type StreamName<In extends Category = Category> = `${In}-${string}`;

/** The stream of an id, which has the format of its category ({@link isOwnStream}). */
export function streamName<In extends Category>(category: In, id: string | number): StreamName<In> {
  return `${category}-${id}`;
}

/** Whether an event is in a stream of the category. */
export function isInCategory<In extends Category>(
  event: Recorded,
  category: In,
): event is RecordedEvent<EventsByCategory[In]> {
  return event.stream.startsWith(`${category}-`);
}

/** The id part of a stream's name. */
export function streamId(stream: string): string {
  return stream.slice(stream.indexOf("-") + 1);
}

/** The app's number, and a part chosen by a client or from the clock. */
const ofApp = /^[1-9]\d*_./s;
const number = /^[1-9]\d*$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const sha256 = /^[\da-f]{64}$/;

/** The format of the ids of each category: another application may have streams with the same prefix. */
const idForms: { readonly [In in Category]: RegExp } = {
  log: /^identity$/,
  logClaims: /^all$/,
  appRegistry: /^all$/,
  app: number,
  token: /./s,
  channel: /./s,
  trackingLink: number,
  deferredLink: ofApp,
  touchpoints: ofApp,
  appEvents: ofApp,
  attribution: ofApp,
  upload: uuid,
  uploadFile: uuid,
  reportTask: uuid,
  rawExports: ofApp,
  exchangeRates: /^\d{4}-\d\d-\d\d$/,
  modelBundles: /^all$/,
  modelFile: sha256,
  contextCalls: ofApp,
  channelCertifications: /^all$/,
  conversionModel: number,
  idempotency: ofApp,
  dataRead: ofApp,
  webhooks: number,
};

/** Whether a name is that of one of our streams: a known category, and an id of its format. */
export function isOwnStream(name: string): boolean {
  const category = name.slice(0, Math.max(name.indexOf("-"), 0));
  return Object.hasOwn(idForms, category) && idForms[category as Category].test(streamId(name));
}

/** The id of the log, as its first event. */
export const logIdentityStream = streamName("log", "identity");
/** The claims of the log by instances, each with its database (docs/event-store.md#a-shared-event-store). */
export const logClaimsStream = streamName("logClaims", "all");
/** The registrations of all apps. */
export const appRegistryStream = streamName("appRegistry", "all");
/** One token, from its issue to its revocation. */
export const tokenStream = (tokenId: string) => streamName("token", tokenId);
/** The profile of a registered channel. */
export const channelStream = (name: string) => streamName("channel", name);
/** One tracking link and its changes. */
export const trackingLinkStream = (linkId: number) => streamName("trackingLink", linkId);
/** The deferred deep link of an install, by the id of its event. */
export const deferredLinkStream = (appId: number, eventId: string) => streamName("deferredLink", `${appId}_${eventId}`);
/** Clicks and impressions of an app that one writer has appended. */
export const touchpointJournal = (appId: number, writer: string) => streamName("touchpoints", `${appId}_${writer}`);
/** App events of an app that one writer has appended. */
export const appEventJournal = (appId: number, writer: string) => streamName("appEvents", `${appId}_${writer}`);
/** The decision about a target event, and its revisions. */
export const attributionStream = (appId: number, eventId: string) => streamName("attribution", `${appId}_${eventId}`);
/** The settings of one app after its registration. */
export const appStream = (appId: number) => streamName("app", appId);
/** One upload, from its receipt to its end. */
export const uploadStream = (requestId: string) => streamName("upload", requestId);
/** The bytes of an upload's file, as `FileChunk` events. */
export const uploadFileStream = (requestId: string) => streamName("uploadFile", requestId);
/** The exchange rates of a date, such as `2026-03-31`. */
export const exchangeRatesStream = (date: string) => streamName("exchangeRates", date);
/** One report task, from its request to its end. */
export const reportTaskStream = (taskId: string) => streamName("reportTask", taskId);
/** The raw exports that an app requested on one of its local dates. */
export const rawExportsStream = (appId: number, date: string) => streamName("rawExports", `${appId}_${date}`);
/** Every model bundle and its activations (docs/decisions/019). */
export const modelBundlesStream = streamName("modelBundles", "all");
/** The bytes of a model's file, as `FileChunk` events; `sha256` is theirs, hex. */
export const modelFileStream = (sha256: string) => streamName("modelFile", sha256);
/** Context calls of an app that one writer has appended. */
export const contextCallJournal = (appId: number, writer: string) => streamName("contextCalls", `${appId}_${writer}`);
/** Every certification of a channel (docs/decisions/022). */
export const channelCertificationsStream = streamName("channelCertifications", "all");
/** The conversion model of an app and its mappings of partner events. */
export const conversionModelStream = (appId: number) => streamName("conversionModel", appId);
/** The claims and the response of an `Idempotency-Key`; `keyHash` is its SHA-256, hex. */
export const idempotencyStream = (appId: number, keyHash: string) => streamName("idempotency", `${appId}_${keyHash}`);
/** One read of personal data of an app. */
export const dataReadStream = (appId: number, id: string) => streamName("dataRead", `${appId}_${id}`);
/** The webhooks of an app. */
export const webhooksStream = (appId: number) => streamName("webhooks", appId);
