import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { MetricRowsStaged, SpendRowsStaged, UploadIngested } from "../../../domain/uploads/events.ts";
import type { TableWriter } from "../sql/statement-pipeline.ts";
import { putInForce } from "./activate-upload.ts";
import { stageMetrics, stageSpend } from "./staged-rows.ts";
import { storeCategories } from "./uploaded-categories.ts";

/** What uploads say to reports. Of spend and of metrics alike: rows first, which nobody sees until they are ingested. */
export type UploadedFact = SpendRowsStaged | MetricRowsStaged | UploadIngested;

export async function applyUploads(writer: TableWriter, events: readonly RecordedEvent<UploadedFact>[]): Promise<void> {
  const spend: RecordedEvent<SpendRowsStaged>[] = [];
  const metrics: RecordedEvent<MetricRowsStaged>[] = [];
  const ingestedSpend: RecordedEvent<UploadIngested>[] = [];
  const ingestedMetrics: RecordedEvent<UploadIngested>[] = [];
  for (const event of events) {
    if (event.type === "SpendRowsStaged") spend.push(event);
    else if (event.type === "MetricRowsStaged") metrics.push(event);
    else if (event.data.kind === "metric") ingestedMetrics.push(event);
    else ingestedSpend.push(event);
  }
  await Promise.all([
    stageSpend(writer, spend),
    stageMetrics(writer, metrics),
    putInForce(writer, "spend", ingestedSpend),
    putInForce(writer, "uploaded_metrics", ingestedMetrics),
    storeCategories(writer, ingestedMetrics),
  ]);
}
