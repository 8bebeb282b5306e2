import { customMetrics, metricGroups, metricOf, selfServeGroup } from "./catalogue.ts";
import { groupByGroups } from "./group-bys.ts";
import type { UploadedMetric } from "./metric.ts";

/** Fields of one kind (A: Actuals report, metadata). */
export interface FieldGroup<Field> {
  readonly groupName: string;
  /** The group that this one stands in. */
  readonly parentGroupName: string | null;
  readonly fields: readonly Field[];
}

export interface MetricField {
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

export interface GroupByField extends MetricField {
  readonly example: string;
  /** Whether reports can be filtered by it. */
  readonly serveToFilter: boolean;
}

/** What an actuals report can be grouped, filtered and sorted by (D7.3). */
export function groupByMetadata(): readonly FieldGroup<GroupByField>[] {
  return groupByGroups.map(({ fields, ...group }) => ({
    ...group,
    fields: Object.entries(fields).map(([key, { name, example, description }]) => {
      return { key, name, example, description, serveToFilter: true };
    }),
  }));
}

/** What an actuals report of an app can count (D7.5): the catalogue, and what the app has uploaded and not archived. */
export function metricMetadata(uploaded: readonly UploadedMetric[]): readonly FieldGroup<MetricField>[] {
  const ofUploads = uploaded
    .filter(({ eventCategory, archived }) => !archived && metricOf(eventCategory) === null)
    .map(({ eventCategory }) => ({
      key: eventCategory,
      name: eventCategory,
      description: "Sum of the values uploaded under this name, amounts of money in the app's currency",
    }));
  return [...metricGroups, customMetrics].map(({ fields, ...group }) => ({
    ...group,
    fields: [
      ...Object.entries(fields).map(([key, { name, description }]) => ({ key, name, description })),
      ...(group.groupName === selfServeGroup ? ofUploads : []),
    ],
  }));
}
