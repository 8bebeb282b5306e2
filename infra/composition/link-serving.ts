import type { RequestHandler } from "express";
import { Counter } from "prom-client";
import { linkHandler } from "../../commands/link-serving/link-handler.ts";
import type { RateLimiter } from "../http/routing/rate-limiter.ts";
import { limitLines } from "../process/limited-lines.ts";
import type { ApiParts } from "./http-routes.ts";

/** Serves links (contract/tracking-links.md#opening), and counts the clicks that were lost or name no link. */
export function serveLinks(parts: ApiParts, rateLimiter: RateLimiter | null): RequestHandler {
  const { readModels, spoolingJournals, journals, urls, registry, log } = parts;
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });
  const lostClicks = counter(
    "clicks_lost_total",
    "Clicks and impressions that were responded to but could not be recorded.",
  );
  const unresolvedClicks = counter(
    "clicks_unresolved_total",
    "Requests below the address of links that name no link, guesses included.",
  );
  const limited = limitLines<"lost">((_kind, leftOut) =>
    log.error({ leftOut }, "more clicks or impressions were responded to but not recorded"),
  );
  return linkHandler({
    links: readModels.links,
    rateLimiter,
    findApp: (appId) => readModels.apps.knownApp(appId) ?? readModels.apps.findAppById(appId),
    spoolingJournals,
    journals,
    baseUrl: urls.baseUrl,
    onClickLost: (reason) => {
      lostClicks.inc();
      limited("lost", () => log.error({ err: reason }, "a click or impression was responded to but not recorded"));
    },
    onUnresolvedClick: () => unresolvedClicks.inc(),
  });
}
