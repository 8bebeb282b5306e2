import { clickIdParameter } from "../values/click-id.ts";
import { decodedOrSame } from "../values/url.ts";
import { uuidOf } from "../values/uuid.ts";
import type { AppEventInput } from "./app-event-input.ts";

/** The category of opens of the app by an address. */
export const deeplinkOpen = "app_deeplink_open";

type Referred = Pick<AppEventInput, "category" | "referrer">;

/**
 * The touchpoint that an event names (contract/ingest.md#event-fields): by its click id, else by the `tl_click_id` of its
 * deeplink or of its install referrer. The referrer is what an install followed from; for later events it lies further
 * back than their deeplink. A lower-case UUID; null when there is none.
 */
export function clickReference({ category, referrer = {} }: Referred): string | null {
  const { clickId, installReferrer, deeplinkUrl } = referrer;
  const given = clickId === undefined ? null : uuidOf(clickId);
  const ofInstall = installReferrer === undefined ? null : clickIdOfReferrer(installReferrer);
  const ofDeeplink = deeplinkUrl === undefined ? null : clickIdOfUrl(deeplinkUrl);
  return given ?? (category === "app_install" ? (ofInstall ?? ofDeeplink) : (ofDeeplink ?? ofInstall));
}

/**
 * The deeplink of an open, which may be the address of a link (contract/attribution.md#opened-links); null when the open
 * names its click, and for other events.
 */
export function openedAddress({ category, referrer = {} }: Referred): string | null {
  if (category !== deeplinkOpen) return null;
  const { installReferrer: _install, ...named } = referrer;
  return clickReference({ category, referrer: named }) === null ? (named.deeplinkUrl ?? null) : null;
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

const clickIdInQuery = new RegExp(`(?:^|&)${clickIdParameter}=([^&=]*)`, "g");

/** A search instead of a split: texts of 8,192 separators come in hundreds of events of one request. */
function clickIdOfQuery(query: string): string | null {
  for (const [, value = ""] of query.matchAll(clickIdInQuery)) {
    const id = uuidOf(decodedOrSame(value));
    if (id !== null) return id;
  }
  return null;
}
