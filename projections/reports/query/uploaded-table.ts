import type { UploadKind } from "../../../domain/uploads/events.ts";

/**
 * Where the facts keep the rows of a kind of upload: ad spend and legacy cost replace each other
 * (contract/uploads.md#replacement).
 */
export function uploadedTable(kind: UploadKind): "spend" | "uploaded_metrics" {
  return kind === "metric" ? "uploaded_metrics" : "spend";
}
