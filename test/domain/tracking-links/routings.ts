import { withClickId } from "../../../domain/tracking-links/click-destination.ts";
import type { ClickTarget } from "../../../domain/tracking-links/click-targets.ts";
import type { Routing } from "../../../domain/tracking-links/events.ts";
import { noFallbacks } from "../../examples/tracking-links.ts";

export const openPageUrl = "https://touchledger.example/open";
export const appStore = "https://apps.apple.com/app/id123456789";

export function routing(changes: Partial<Routing> = {}): Routing {
  return { deeplinkUrl: null, fallbackPaths: noFallbacks, ...changes };
}

/** The destination of a target, or the deeplink and the fallback of a page. */
export function addresses(target: ClickTarget): string | readonly [string, string] {
  if (target.kind === "redirect") return withClickId(target.to, "ID");
  return [withClickId(target.deeplink, "ID"), withClickId(target.fallback, "ID")];
}
