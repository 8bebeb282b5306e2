import { suggestionOf } from "../did-you-mean.ts";
import { type Fault, fault } from "../fault.ts";
import { decimalText } from "../values/decimals.ts";
import { reportedInstant, type TimestampFault } from "../values/reported-timestamps.ts";
import { uuidOf } from "../values/uuid.ts";
import { type AppEventInput, propertyLimits } from "./app-event-input.ts";
import { appEventCategories, isEventCategory } from "./categories.ts";
import { clickReference } from "./click-reference.ts";
import { type Connection, describeDevice, describePerson } from "./device-and-person.ts";
import type { AppEventRecorded } from "./events.ts";

const categories = Object.keys(appEventCategories);
const asciiOnly = /^[\0-\x7f]*$/;

/** Why an app event is rejected. */
export type AppEventFault = Fault<
  `${TimestampFault}.app_event` | "INVALID_EVENT_ID" | "UNKNOWN_CATEGORY" | "UNKNOWN_CURRENCY" | "PROPERTIES_TOO_LARGE"
>;

/** The context of validation: the same for all events of a request. */
export interface AppEventContext {
  readonly appId: number;
  /** The app's, for values without a currency. */
  readonly currency: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Maximum age, by who sends the events. */
  readonly maxDaysBack: number;
  /**
   * Defaults for fields that an event leaves out; null if the caller is not the device
   * (contract/ingest.md#event-fields).
   */
  readonly connection: Connection | null;
  isCurrency(code: string): boolean;
}

/**
 * The data of the recorded event (contract/ingest.md#event-fields, contract/ingest.md#timestamps): ids in lower case,
 * codes in upper case, times in UTC, the value as exact decimal text; or the first fault.
 * @param deviceKey key of the device (contract/ingest.md#devices)
 */
export function recordAppEvent(
  input: AppEventInput,
  deviceKey: string,
  context: AppEventContext,
): AppEventRecorded["data"] | AppEventFault {
  const eventId = uuidOf(input.eventId);
  if (eventId === null) return fault("INVALID_EVENT_ID", ["eventId"]);
  const at = reportedInstant(input.eventTimestamp, context.now, context.maxDaysBack);
  if (at === "TIMESTAMP_TOO_OLD") {
    return fault("TIMESTAMP_TOO_OLD.app_event", ["eventTimestamp"], { days: context.maxDaysBack });
  }
  if (typeof at === "string") return fault(`${at}.app_event`, ["eventTimestamp"]);
  if (!isEventCategory(input.category)) {
    return fault("UNKNOWN_CATEGORY", ["category"], { suggestion: suggestionOf(input.category, categories) });
  }
  const currency = (input.currency || context.currency).toUpperCase();
  if (!context.isCurrency(currency)) return fault("UNKNOWN_CURRENCY", ["currency"]);
  if (input.properties !== undefined && utf8Length(JSON.stringify(input.properties)) > propertyLimits.bytes) {
    return fault("PROPERTIES_TOO_LARGE", ["properties"]);
  }
  return {
    eventId,
    appId: context.appId,
    at: new Date(at).toISOString(),
    source: input.source || "app",
    category: input.category,
    action: input.action || null,
    label: input.label || null,
    value: input.value === undefined ? null : decimalText(input.value),
    currency: input.value === undefined && !input.currency ? null : currency,
    properties: input.properties ?? null,
    deviceKey,
    device: describeDevice(input.device),
    clickId: clickReference(input),
    person: describePerson(input, context.connection),
  };
}

/** Bytes of a text in UTF-8; a lone surrogate counts as U+FFFD. */
function utf8Length(text: string): number {
  return asciiOnly.test(text) ? text.length : new TextEncoder().encode(text).byteLength;
}
