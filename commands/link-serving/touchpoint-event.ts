import { humanVerdict } from "../../domain/touchpoints/bot-filter.ts";
import type { TouchpointEvent, TouchpointOrigin, TouchpointPerson } from "../../domain/touchpoints/events.ts";
import type { EventToAppend } from "../../infra/event-log/event-log.ts";
import { deviceKey } from "../derived-ids.ts";
import { eventMetadata } from "../metadata.ts";
import type { Client } from "../touchpoints/user-agent.ts";
import type { ResolvedLink } from "./resolved-link.ts";
import type { UrlParameters } from "./url-parameters.ts";

/** Who is connected. */
export interface Connection {
  readonly client: Client;
  readonly ip: string | null;
}

export interface TouchpointDetails {
  readonly type: TouchpointEvent["type"];
  readonly origin: Exclude<TouchpointOrigin, "back_fill">;
  /** Unique in the log; the touchpoint's own id where that is always fresh. */
  readonly eventId: string;
  readonly touchpointId: string;
  /** When it happened, ISO 8601. */
  readonly at: string;
  readonly served: ResolvedLink;
  readonly url: UrlParameters;
  /** Null when a partner's server is connected. */
  readonly visitor: Connection | null;
  /** What the URL's `user_agent` says; null without one. */
  readonly described: Client | null;
  readonly destination: string | null;
  readonly requestId: string;
  readonly receivedAt: string;
}

/**
 * The event of one click or impression (contract/tracking-links.md).
 */
export function touchpointEvent(touch: TouchpointDetails): EventToAppend<TouchpointEvent> {
  const { served, url, visitor } = touch;
  const client = touch.described ?? visitor?.client ?? null;
  const os = url.os ?? client?.os ?? null;
  const { deviceId } = url.person;
  return {
    id: touch.eventId,
    type: touch.type,
    data: {
      touchpointId: touch.touchpointId,
      appId: served.app.appId,
      at: touch.at,
      origin: touch.origin,
      source: served.source,
      verdict: humanVerdict({
        origin: touch.origin,
        userAgent: (visitor?.client ?? touch.described)?.userAgent ?? null,
        botName: visitor?.client.botName ?? touch.described?.botName ?? null,
      }),
      destination: touch.destination,
      deviceKey: deviceId === undefined ? null : deviceKey(served.app.salt, deviceId),
      os,
      osVersion: os === client?.os ? client.osVersion : null,
      person: personOf(touch),
    },
    metadata: eventMetadata(touch.type, {
      actor: { kind: "visitor" },
      requestId: touch.requestId,
      occurredAt: touch.receivedAt,
    }),
  };
}

/** What the URL says of the person counts before what the connection shows. */
function personOf({ url, visitor }: TouchpointDetails): TouchpointPerson {
  if (visitor === null) return url.person;
  const { ip, client } = visitor;
  return {
    ...(ip === null ? {} : { ip }),
    ...(client.userAgent === null ? {} : { userAgent: client.userAgent }),
    ...url.person,
  };
}
