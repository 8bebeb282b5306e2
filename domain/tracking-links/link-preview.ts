import { readWebAddress } from "./destination.ts";
import type { OgTag } from "./events.ts";

/** The preview of a shared link. */
export interface LinkPreview {
  readonly title: string;
  readonly description: string | null;
  /** Normalised; null if the link has no valid image. */
  readonly imageUrl: string | null;
  readonly appName: string;
}

/** A link's preview; the title defaults to the app's name. */
export function linkPreview(ogTag: OgTag, appName: string): LinkPreview {
  const image = ogTag.imageUrl === null ? null : readWebAddress(ogTag.imageUrl);
  return {
    title: ogTag.title || appName,
    description: ogTag.description || null,
    imageUrl: image === null || typeof image === "string" ? null : image.url.href,
    appName,
  };
}
