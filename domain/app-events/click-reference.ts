import { uuidOf } from "../values/uuid.ts";
import type { ReferrerInput } from "./app-event-input.ts";

const parameter = "tl_click_id";

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
  return clickIdOfQuery(referrer) ?? clickIdOfQuery(decoded(referrer));
}

function clickIdOfUrl(url: string): string | null {
  const [beforeFragment = ""] = url.split("#", 1);
  const queryAt = beforeFragment.indexOf("?");
  return queryAt === -1 ? null : clickIdOfQuery(beforeFragment.slice(queryAt + 1));
}

function clickIdOfQuery(query: string): string | null {
  for (const pair of query.split("&")) {
    const [name = "", value = ""] = pair.split("=", 2);
    if (name !== parameter) continue;
    const id = uuidOf(decoded(value));
    if (id !== null) return id;
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
