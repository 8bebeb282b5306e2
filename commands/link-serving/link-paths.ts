import { matchesChannelSegment } from "../../domain/tracking-links/link-addresses.ts";
import { hasIdentifier, isShortId, linkIdOf, linkIds } from "../../domain/tracking-links/link-ids.ts";
import { percentDecoded } from "../../domain/values/url.ts";
import { sha256 } from "../derived-ids.ts";
import type { ResolvedLink } from "./resolved-link.ts";
import { maxNameLength, type Query, readParameter } from "./url-parameters.ts";

/** A path below `LINK_BASE_URL` (contract/tracking-links.md#addresses). */
export type LinkPath =
  | { readonly kind: "short"; readonly shortId: string }
  | {
      readonly kind: "long";
      readonly serverToServer: boolean;
      readonly appName: string;
      readonly channel: string;
    }
  /** Not the path of any link. */
  | { readonly kind: "none"; readonly serverToServer: boolean };

/** Parts of the longest path of a link, `/s2s/@shop/appier/`. */
const maxParts = 5;

/**
 * Parses a path such as `/k3f9xyz`, `/@shop/appier` or `/s2s/@shop/appier`. Any character of a segment may be
 * percent-encoded; an encoded slash is part of a segment.
 */
export function readLinkPath(path: string): LinkPath {
  const encoded = path.split("/", maxParts + 1).slice(1);
  if (encoded.length > 1 && encoded.at(-1) === "") encoded.pop();
  const segments: readonly (string | null)[] = path.includes("%") ? encoded.map(percentDecoded) : encoded;
  const [first = null] = segments;
  if (segments.length === 1 && first !== null && isShortId(first)) return { kind: "short", shortId: first };
  const serverToServer = first === "s2s";
  const [app = null, channel = null, ...more] = serverToServer ? segments.slice(1) : segments;
  if (!app?.startsWith("@") || channel === null || channel === "" || more.length > 0) {
    return { kind: "none", serverToServer };
  }
  return { kind: "long", serverToServer, appName: app.slice(1), channel };
}

/** Whether partners' servers report clicks to a path. */
export function isServerToServer(path: LinkPath): boolean {
  return path.kind !== "short" && path.serverToServer;
}

/** The id of the link that a path and its query name; null for none. */
export function linkIdAt(path: LinkPath, query: Query | null): number | null {
  if (path.kind === "none") return null;
  if (path.kind === "short") return linkIds(sha256(path.shortId)).linkId;
  const { templateId, shortId } = namesIn(query);
  const linkId = linkIdOf(templateId);
  if (linkId !== null) return linkId;
  return isShortId(shortId) ? linkIds(sha256(shortId)).linkId : null;
}

/** Whether the link found under the id is the one that path and query name, with its app and channel. */
export function isLinkAt(
  { link, app }: Pick<ResolvedLink, "link" | "app">,
  path: LinkPath,
  query: Query | null,
): boolean {
  if (path.kind === "none") return false;
  if (path.kind === "short") return link.shortId === path.shortId;
  if (app.name !== path.appName || !matchesChannelSegment(path.channel, link.channel)) return false;
  const { templateId, shortId } = namesIn(query);
  if (linkIdOf(templateId) !== null) return hasIdentifier(link, "trackingTemplateId", templateId);
  return shortId === link.shortId;
}

/** The identifiers in a long URL; empty if absent. */
function namesIn(query: Query | null): { readonly templateId: string; readonly shortId: string } {
  return {
    templateId: readParameter(query ?? {}, "tracking_template_id", maxNameLength) ?? "",
    shortId: readParameter(query ?? {}, "routing_short_id", maxNameLength) ?? "",
  };
}
