import type { Rejection } from "../../domain/decider.ts";
import type { LogPosition } from "../../domain/event.ts";
import { trackingLinkStream } from "../../domain/streams.ts";
import { resolveLinkId } from "../../domain/tracking-links/link-ids.ts";
import {
  type ChangeOgTag,
  type ChangeRouting,
  type TrackingLinkRejection,
  trackingLink,
} from "../../domain/tracking-links/tracking-link.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { sha256 } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import type { Cause } from "../metadata.ts";

export type LinkChange = ChangeOgTag | ChangeRouting;

export type ChangedLink =
  /** `position`: of the link's last event, which is older than the change when that was so already. */
  | { readonly outcome: "changed"; readonly position: LogPosition | null }
  | { readonly outcome: "rejected"; readonly rejection: Rejection<TrackingLinkRejection> };

/**
 * Changes the preview or the routing of a link (contract/tracking-links.md#changing), named in any of the three ways.
 */
export async function changeLink(
  log: EventLog,
  commandId: string,
  change: LinkChange,
  cause: Cause,
): Promise<ChangedLink> {
  const linkId = resolveLinkId(change.idType, change.name, sha256);
  if (linkId === null) return { outcome: "rejected", rejection: { rejected: "TRACKING_LINK_NOT_FOUND" } };
  const handled = await handleCommand(log, trackingLink, trackingLinkStream(linkId), commandId, change, cause);
  return handled.outcome === "handled" ? { outcome: "changed", position: handled.position } : handled;
}
