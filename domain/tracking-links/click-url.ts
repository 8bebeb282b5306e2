import type { Destination } from "./destination.ts";

/** A destination with the place for a click id in it: made once for a link, filled for every click. */
export interface ClickUrl {
  readonly before: string;
  readonly after: string;
}

/** The parameter under which our click id travels (contract/tracking-links.md#opening). */
export const clickIdParameter = "tl_click_id";

/**
 * Every redirect carries `tl_click_id`, to Google Play inside `referrer`, which the store hands to the installed app
 * (contract/tracking-links.md#opening). A click id that stands in the destination already is dropped, however its name
 * is encoded: readers take the first, and nobody may claim another's click.
 */
export function clickUrl(destination: Destination): ClickUrl {
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

/** The destination of one click. */
export function withClickId(url: ClickUrl, clickId: string): string {
  return url.before + clickId + url.after;
}

function isGooglePlay(destination: Destination): boolean {
  return destination.kind === "web" ? destination.url.host === "play.google.com" : destination.scheme === "market";
}

/** The first referrer that the link's owner set is kept, a click id in it aside, with ours behind it. */
function referrerPlace(parameters: readonly string[]): string {
  const own = parameters.find((parameter) => isNamed(parameter, "referrer")) ?? "";
  const kept = decoded(own.split("=").slice(1).join("="))
    .split("&")
    .filter((parameter) => parameter !== "" && !isNamed(parameter, clickIdParameter));
  return `referrer=${kept.map((parameter) => `${encodeURIComponent(parameter)}%26`).join("")}${clickIdParameter}%3D`;
}

function isNamed(parameter: string, name: string): boolean {
  return decoded(parameter.split("=", 1)[0] ?? "") === name;
}

/** Of a parameter; what is not percent-encoded UTF-8 stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
