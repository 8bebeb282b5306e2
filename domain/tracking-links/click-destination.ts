import { clickIdParameter } from "../values/click-id.ts";
import { decodedOrSame } from "../values/url.ts";
import type { Destination } from "./destination.ts";

/** A destination split at the place of the click id: made once for a link, joined for every click. */
export interface ClickDestination {
  readonly before: string;
  readonly after: string;
}

/**
 * A destination with `tl_click_id`; for Google Play inside `referrer`, which the store passes to the installed app
 * (contract/tracking-links.md#opening). A click id that is already in the destination is removed, however its name is
 * encoded: apps read the first one, so it would claim another click.
 */
export function clickDestination(destination: Destination): ClickDestination {
  const address = destination.kind === "web" ? destination.url.href : destination.uri;
  const fragmentAt = address.indexOf("#");
  const base = fragmentAt < 0 ? address : address.slice(0, fragmentAt);
  const queryAt = base.indexOf("?");
  const path = queryAt < 0 ? base : base.slice(0, queryAt);
  const parameters = queryAt < 0 ? [] : base.slice(queryAt + 1).split("&");
  const kept = parameters.filter((parameter) => parameter !== "" && !isNamed(parameter, clickIdParameter));
  const inReferrer = isGooglePlay(destination);
  const place = inReferrer ? referrerPlace(kept) : `${clickIdParameter}=`;
  const others = inReferrer ? kept.filter((parameter) => !isNamed(parameter, "referrer")) : kept;
  return {
    before: `${path}?${[...others, place].join("&")}`,
    after: fragmentAt < 0 ? "" : address.slice(fragmentAt),
  };
}

/** The destination of the click of an id. */
export function withClickId(url: ClickDestination, clickId: string): string {
  return url.before + clickId + url.after;
}

function isGooglePlay(destination: Destination): boolean {
  return destination.kind === "web" ? destination.url.host === "play.google.com" : destination.scheme === "market";
}

/** Keeps the first referrer of the destination without its click id, and appends ours. */
function referrerPlace(parameters: readonly string[]): string {
  const own = parameters.find((parameter) => isNamed(parameter, "referrer")) ?? "";
  const kept = decodedOrSame(own.split("=").slice(1).join("="))
    .split("&")
    .filter((parameter) => parameter !== "" && !isNamed(parameter, clickIdParameter));
  return `referrer=${kept.map((parameter) => `${encodeURIComponent(parameter)}%26`).join("")}${clickIdParameter}%3D`;
}

function isNamed(parameter: string, name: string): boolean {
  return decodedOrSame(parameter.split("=", 1)[0] ?? "") === name;
}
