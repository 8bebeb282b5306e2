import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { TouchpointSource } from "../../domain/touchpoints/events.ts";
import { linkSource, sourceWithUrl } from "../../domain/touchpoints/touchpoint-source.ts";
import { type ClickTargets, clickTargets, overriddenRouting } from "../../domain/tracking-links/routing.ts";
import type { LiveLink } from "../../domain/tracking-links/tracking-link.ts";
import type { UrlParameters } from "./url-parameters.ts";

/** A link ready to be clicked: what is the same for every click is worked out once. */
export interface ResolvedLink {
  readonly link: LiveLink;
  readonly app: RegisteredApp;
  readonly ways: ClickTargets;
  readonly source: TouchpointSource;
}

export type FindApp = (appId: number) => RegisteredApp | null | Promise<RegisteredApp | null>;

/**
 * Makes links ready, once for every state of a link that is still in anybody's memory. `openPage` is the address of
 * the plain page, where visitors go when link and app name nothing.
 */
export function linkResolver(
  findApp: FindApp,
  openPage: string,
): (link: LiveLink) => ResolvedLink | null | Promise<ResolvedLink | null> {
  const prepared = new WeakMap<LiveLink, ResolvedLink>();
  return (link) => prepared.get(link) ?? prepare(link);

  async function prepare(link: LiveLink): Promise<ResolvedLink | null> {
    const app = await findApp(link.appId);
    if (app === null) return null;
    const served = { link, app, ways: clickTargets(link, app, openPage), source: linkSource(link) };
    prepared.set(link, served);
    return served;
  }
}

/** The link as one URL asks for it (contract/tracking-links.md#url-parameters). */
export function withUrlParameters(served: ResolvedLink, url: UrlParameters, openPage: string): ResolvedLink {
  const { link, app } = served;
  const changesSource = hasAny(url.campaignParams) || hasAny(url.publisher);
  return {
    link,
    app,
    ways: url.routing === null ? served.ways : clickTargets(overriddenRouting(link, url.routing, app), app, openPage),
    source: changesSource ? sourceWithUrl(served.source, url.campaignParams, url.publisher) : served.source,
  };
}

function hasAny(fields: object): boolean {
  for (const _ in fields) return true;
  return false;
}
