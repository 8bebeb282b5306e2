import { humanVerdict } from "../../domain/touchpoints/bot-filter.ts";
import type { TouchpointEvent, TouchpointOrigin, TouchpointPerson } from "../../domain/touchpoints/events.ts";
import type { TraceContext } from "../../domain/values/trace-context.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import { deviceKey } from "../derived-ids.ts";
import { eventMetadata } from "../event-metadata.ts";
import type { Client } from "../touchpoints/user-agent.ts";
import type { ResolvedLink } from "./resolved-link.ts";
import type { UrlParameters } from "./url-parameters.ts";

/** The client of a request. */
export interface Connection {
  readonly client: Client;
  readonly ip: string | null;
}

export interface TouchpointDetails {
  readonly type: TouchpointEvent["type"];
  readonly origin: Exclude<TouchpointOrigin, "back_fill" | "deeplink_open">;
  /** Unique in the log; the touchpoint id itself unless that can repeat. */
  readonly eventId: string;
  readonly touchpointId: string;
  /** When it happened, ISO 8601. */
  readonly at: string;
  readonly served: ResolvedLink;
  readonly url: UrlParameters;
  /** Null for a partner's server. */
  readonly connection: Connection | null;
  /** The URL's `user_agent`; null without one. */
  readonly described: Client | null;
  readonly destination: string | null;
  readonly requestId: string;
  readonly receivedAt: string;
  readonly trace: TraceContext | undefined;
}

/** The event of a click or impression (contract/tracking-links.md). */
export function touchpointEvent(details: TouchpointDetails): EventToAppend<TouchpointEvent> {
  const { served, url, connection } = details;
  const client = details.described ?? connection?.client ?? null;
  const os = url.os ?? client?.os ?? null;
  const { deviceId } = url.person;
  return {
    id: details.eventId,
    type: details.type,
    data: {
      touchpointId: details.touchpointId,
      appId: served.app.appId,
      at: details.at,
      origin: details.origin,
      source: served.source,
      verdict: humanVerdict({
        origin: details.origin,
        userAgent: (connection?.client ?? details.described)?.userAgent ?? null,
        botName: connection?.client.botName ?? details.described?.botName ?? null,
      }),
      destination: details.destination,
      deviceKey: deviceId === undefined ? null : deviceKey(served.app.salt, deviceId),
      os,
      osVersion: os === client?.os ? client.osVersion : null,
      person: personOf(details),
    },
    metadata: eventMetadata(details.type, {
      actor: { kind: "visitor" },
      requestId: details.requestId,
      occurredAt: details.receivedAt,
      trace: details.trace,
    }),
  };
}

/** The URL overrides what the connection shows. */
function personOf({ url, connection }: TouchpointDetails): TouchpointPerson {
  if (connection === null) return url.person;
  const { ip, client } = connection;
  return {
    ...(ip === null ? {} : { ip }),
    ...(client.userAgent === null ? {} : { userAgent: client.userAgent }),
    ...url.person,
  };
}
