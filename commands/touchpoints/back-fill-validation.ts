import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { fault } from "../../domain/fault.ts";
import { humanVerdict } from "../../domain/touchpoints/bot-filter.ts";
import type { TouchpointEvent, TouchpointPerson, TouchpointSource } from "../../domain/touchpoints/events.ts";
import { campaignParamsOf } from "../../domain/values/campaign-params.ts";
import { normalIpAddress } from "../../domain/values/ip-address.ts";
import { maxDaysBack, reportedInstant } from "../../domain/values/reported-timestamps.ts";
import { advertisingIdOf, uuidOf } from "../../domain/values/uuid.ts";
import { deviceKey } from "../derived-ids.ts";
import type { ValidatedItem } from "../ingest/bulk-ingest.ts";
import { shapeValidator } from "../ingest/item-validation.ts";
import { type TouchpointInput, touchpointSchema } from "./back-fill-schema.ts";
import type { ReadUserAgent } from "./user-agent.ts";

type Reason = "CHANNEL_REQUIRED" | "CHANNEL_REFUSED" | "UNKNOWN_TRACKING_LINK" | "CHANNEL_MISMATCH";

const fields: { readonly [reason in Reason]: string } = {
  CHANNEL_REQUIRED: "channel",
  CHANNEL_REFUSED: "channel",
  UNKNOWN_TRACKING_LINK: "trackingLinkId",
  CHANNEL_MISMATCH: "channel",
};

/** Context in which the touchpoints of a request are validated. */
export interface BackFillContext {
  readonly app: RegisteredApp;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The source that the app's link gives to its touchpoints; null when the app has no such link. */
  linkSource(linkId: number): TouchpointSource | null;
  /** The channel of a name; null for a name that must not be used (contract/administration.md#channels). */
  channelSource(name: string): TouchpointSource | null;
  readonly readUserAgent: ReadUserAgent;
}

const shapeFaultOf = shapeValidator(touchpointSchema);

/** A validator of touchpoints: returns the event that one becomes, or its first fault. */
export function touchpointValidator(backFill: BackFillContext): (item: unknown) => ValidatedItem {
  return (item) => {
    const shapeFault = shapeFaultOf(item);
    if (shapeFault !== null) return shapeFault;
    const input = item as TouchpointInput;
    const touchpointId = uuidOf(input.touchpointId);
    if (touchpointId === null) return fault("INVALID_TOUCHPOINT_ID", ["touchpointId"]);
    const at = reportedInstant(input.timestamp, backFill.now, maxDaysBack.owner);
    if (typeof at === "string") return fault(`${at}.touchpoint`, ["timestamp"]);
    const source = sourceOf(input, backFill);
    if (typeof source === "string") return fault(source, [fields[source]]);

    const { appId, salt } = backFill.app;
    const client = backFill.readUserAgent(input.userAgent);
    const os = input.os || client.os;
    const deviceId = input.deviceId || null;
    const key = deviceId === null ? null : deviceKey(salt, deviceId);
    const event: TouchpointEvent = {
      type: input.kind === "click" ? "ClickRecorded" : "ImpressionRecorded",
      data: {
        touchpointId,
        appId,
        at: new Date(at).toISOString(),
        origin: "back_fill",
        source,
        verdict: humanVerdict({ origin: "back_fill", userAgent: client.userAgent, botName: client.botName }),
        destination: null,
        deviceKey: key,
        os,
        osVersion: input.osVersion || (os === client.os ? client.osVersion : null),
        person: personOf(input, client.userAgent),
      },
    };
    const device = deviceId === null || key === null ? null : { id: deviceId, key };
    return { id: touchpointId, event, device };
  };
}

/**
 * The source of a touchpoint: that of its link or channel, with campaign parameters of its own
 * (contract/tracking-links.md#url-parameters).
 */
function sourceOf(input: TouchpointInput, backFill: BackFillContext): TouchpointSource | Reason {
  const { trackingLinkId, channel } = input;
  const campaignParams = campaignParamsOf(input.campaignParams ?? {});
  if (trackingLinkId === undefined) {
    if (channel === undefined) return "CHANNEL_REQUIRED";
    const source = backFill.channelSource(channel);
    return source === null ? "CHANNEL_REFUSED" : { ...source, campaignParams };
  }
  const source = backFill.linkSource(trackingLinkId);
  if (source === null) return "UNKNOWN_TRACKING_LINK";
  if (channel !== undefined && channel !== source.channel) return "CHANNEL_MISMATCH";
  return { ...source, campaignParams: { ...source.campaignParams, ...campaignParams } };
}

function personOf(input: TouchpointInput, userAgent: string | null): TouchpointPerson {
  const gaid = advertisingIdOf(input.gaid);
  const idfa = advertisingIdOf(input.idfa);
  const idfv = advertisingIdOf(input.idfv);
  return {
    ...(input.ip ? { ip: normalIpAddress(input.ip) } : {}),
    ...(userAgent === null ? {} : { userAgent }),
    ...(gaid === null ? {} : { gaid }),
    ...(idfa === null ? {} : { idfa }),
    ...(idfv === null ? {} : { idfv }),
    ...(input.deviceId ? { deviceId: input.deviceId } : {}),
  };
}
