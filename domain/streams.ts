/** The categories of streams. A stream's name is `category-id`. */
export const categories = [
  "log",
  "appRegistry",
  "app",
  "token",
  "channel",
  "trackingLink",
  "touchpoints",
  "appEvents",
  "attribution",
  "upload",
  "uploadFile",
  "reportTask",
  "rawExports",
  "exchangeRates",
  "modelBundles",
  "modelFile",
  "contextCalls",
  "channelCertifications",
  "conversionModel",
  "idempotency",
] as const;

export type Category = (typeof categories)[number];

/** Name of the stream of one thing. */
export function streamName(category: Category, id: string | number): string {
  return `${category}-${id}`;
}

/** Name prefix that all streams of a category share. */
export function categoryPrefix(category: Category): string {
  return `${category}-`;
}

/** The id part of a stream's name. */
export function streamId(stream: string): string {
  return stream.slice(stream.indexOf("-") + 1);
}

export const logIdentityStream = streamName("log", "identity");
export const appRegistryStream = streamName("appRegistry", "all");
export const tokenStream = (tokenId: string): string => streamName("token", tokenId);
export const channelStream = (name: string): string => streamName("channel", name);
export const trackingLinkStream = (linkId: number): string => streamName("trackingLink", linkId);
export const touchpointJournal = (appId: number, writer: string): string =>
  streamName("touchpoints", `${appId}_${writer}`);
export const appEventJournal = (appId: number, writer: string): string => streamName("appEvents", `${appId}_${writer}`);
export const attributionStream = (appId: number, eventId: string): string =>
  streamName("attribution", `${appId}_${eventId}`);
/** What was set up for one app after its registration. */
export const appStream = (appId: number): string => streamName("app", appId);
export const uploadStream = (requestId: string): string => streamName("upload", requestId);
/** The bytes of an upload's file, as `FileChunk` events. */
export const uploadFileStream = (requestId: string): string => streamName("uploadFile", requestId);
/** `date`: `2026-03-31`. */
export const exchangeRatesStream = (date: string): string => streamName("exchangeRates", date);
export const reportTaskStream = (taskId: string): string => streamName("reportTask", taskId);
/** The raw exports that an app requested on one of its local dates. */
export const rawExportsStream = (appId: number, date: string): string => streamName("rawExports", `${appId}_${date}`);
/** Every model bundle, and which of them answers for whom (docs/decisions/019). */
export const modelBundlesStream = streamName("modelBundles", "all");
/** The bytes of a model's file, as `FileChunk` events; `sha256` is theirs, hex. */
export const modelFileStream = (sha256: string): string => streamName("modelFile", sha256);
export const contextCallJournal = (appId: number, writer: string): string =>
  streamName("contextCalls", `${appId}_${writer}`);
/** Every certification of a channel (docs/decisions/022). */
export const channelCertificationsStream = streamName("channelCertifications", "all");
/** The conversion model of an app and its mappings of partner events. */
export const conversionModelStream = (appId: number): string => streamName("conversionModel", appId);
/** `keyHash`: SHA-256 of an `Idempotency-Key`, hex. */
export const idempotencyStream = (appId: number, keyHash: string): string =>
  streamName("idempotency", `${appId}_${keyHash}`);
