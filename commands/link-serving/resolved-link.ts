import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { TouchpointSource } from "../../domain/touchpoints/events.ts";
import { linkSource, sourceWithUrl } from "../../domain/touchpoints/touchpoint-source.ts";
import { type ClickTargets, clickTargets } from "../../domain/tracking-links/click-targets.ts";
import { overriddenRouting } from "../../domain/tracking-links/routing-override.ts";
import type { LiveLink } from "../../domain/tracking-links/tracking-link.ts";
import type { UrlParameters } from "./url-parameters.ts";

/** A link with everything that is the same for all its clicks. */
export interface ResolvedLink {
  readonly link: LiveLink;
  readonly app: RegisteredApp;
  readonly targets: ClickTargets;
  readonly source: TouchpointSource;
}

export type FindApp = (appId: number) => RegisteredApp | null | Promise<RegisteredApp | null>;

/** Resolves links; results are cached as long as the link and app objects are. `openPageUrl`: the last fallback. */
export function linkResolver(
  findApp: FindApp,
  openPageUrl: string,
): (link: LiveLink) => ResolvedLink | null | Promise<ResolvedLink | null> {
  const resolved = new WeakMap<LiveLink, ResolvedLink>();
  return (link) => {
    const finding = findApp(link.appId);
    return finding instanceof Promise ? finding.then((app) => resolve(link, app)) : resolve(link, finding);
  };

  function resolve(link: LiveLink, app: RegisteredApp | null): ResolvedLink | null {
    if (app === null) return null;
    const known = resolved.get(link);
    if (known?.app === app) return known;
    const result = { link, app, targets: clickTargets(link, app, openPageUrl), source: linkSource(link) };
    resolved.set(link, result);
    return result;
  }
}

/** A link with the overrides of a URL (contract/tracking-links.md#url-parameters). */
export function withUrlParameters(resolved: ResolvedLink, url: UrlParameters, openPageUrl: string): ResolvedLink {
  const { link, app } = resolved;
  const changesSource = hasAny(url.campaignParams) || hasAny(url.publisher);
  return {
    link,
    app,
    targets:
      url.routing === null
        ? resolved.targets
        : clickTargets(overriddenRouting(link, url.routing, app), app, openPageUrl),
    source: changesSource ? sourceWithUrl(resolved.source, url.campaignParams, url.publisher) : resolved.source,
  };
}

function hasAny(fields: object): boolean {
  for (const _ in fields) return true;
  return false;
}
