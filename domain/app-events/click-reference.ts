import { clickIdParameter } from "../values/click-id.ts";
import { decodedOrSame } from "../values/url.ts";
import { uuidOf } from "../values/uuid.ts";
import type { ReferrerInput } from "./app-event-input.ts";

/**
 * The touchpoint that an event's referrer names (contract/ingest.md#event-fields): the click id itself, else the
 * `tl_click_id` of the install referrer, else that of the deeplink. A lower-case UUID; null when there is none.
 */
export function clickReference(referrer: ReferrerInput | undefined): string | null {
  if (referrer === undefined) return null;
  const { clickId, installReferrer, deeplinkUrl } = referrer;
  return (
    (clickId === undefined ? null : uuidOf(clickId)) ??
    (installReferrer === undefined ? null : clickIdOfReferrer(installReferrer)) ??
    (deeplinkUrl === undefined ? null : clickIdOfUrl(deeplinkUrl))
  );
}

/** Stores pass the referrer on unchanged: percent-encoded once more (`tl_click_id%3D<id>`) or not. */
function clickIdOfReferrer(referrer: string): string | null {
  return clickIdOfQuery(referrer) ?? clickIdOfQuery(decodedOrSame(referrer));
}

function clickIdOfUrl(url: string): string | null {
  const [beforeFragment = ""] = url.split("#", 1);
  const queryAt = beforeFragment.indexOf("?");
  return queryAt === -1 ? null : clickIdOfQuery(beforeFragment.slice(queryAt + 1));
}

function clickIdOfQuery(query: string): string | null {
  for (const pair of query.split("&")) {
    const [name = "", value = ""] = pair.split("=", 2);
    if (name !== clickIdParameter) continue;
    const id = uuidOf(decodedOrSame(value));
    if (id !== null) return id;
  }
  return null;
}
