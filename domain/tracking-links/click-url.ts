import type { Destination } from "./destination.ts";

/** A destination with the place for a click id in it: made once for a link, filled for every click. */
export interface ClickUrl {
  readonly before: string;
  readonly after: string;
}

/** The parameter under which our click id travels (D4.5). */
export const clickIdParameter = "tl_click_id";

/**
 * D4.5: every redirect carries `tl_click_id`, to Google Play inside `referrer`, which the store hands to the installed
 * app. A click id that stands in the destination already is dropped: readers take the first.
 */
export function clickUrl(destination: Destination): ClickUrl {
  const address = destination.kind === "web" ? destination.url.href : destination.uri;
  const fragmentAt = address.indexOf("#");
  const base = fragmentAt < 0 ? address : address.slice(0, fragmentAt);
  const queryAt = base.indexOf("?");
  const path = queryAt < 0 ? base : base.slice(0, queryAt);
  const parameters = queryAt < 0 ? [] : base.slice(queryAt + 1).split("&");
  const kept = parameters.filter((parameter) => parameter !== "" && !isNamed(parameter, clickIdParameter));
  const place = isGooglePlay(destination) ? takeReferrer(kept) : `${clickIdParameter}=`;
  return {
    before: `${path}?${[...kept, place].join("&")}`,
    after: fragmentAt < 0 ? "" : address.slice(fragmentAt),
  };
}

/** The destination of one click. */
export function withClickId(url: ClickUrl, clickId: string): string {
  return url.before + clickId + url.after;
}

function isGooglePlay(destination: Destination): boolean {
  return destination.kind === "web" ? destination.url.host === "play.google.com" : destination.scheme === "market";
}

/** A referrer that the link's owner set is kept, with ours behind it. */
function takeReferrer(parameters: string[]): string {
  const at = parameters.findIndex((parameter) => isNamed(parameter, "referrer"));
  const [own = ""] = at < 0 ? [] : parameters.splice(at, 1);
  const value = own.slice("referrer=".length);
  return `referrer=${value === "" ? "" : `${value}%26`}${clickIdParameter}%3D`;
}

function isNamed(parameter: string, name: string): boolean {
  return parameter === name || parameter.startsWith(`${name}=`);
}
