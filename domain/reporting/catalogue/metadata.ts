import { type Language, texts } from "../../values/language.ts";
import { customMetrics, metricGroups, metricOf, selfServeGroup } from "./catalogue.ts";
import { groupByGroups } from "./group-bys.ts";
import type { UploadedMetric } from "./metric.ts";

/** Fields of one kind (contract/reports.md#actuals, contract/reports.md#metadata). */
interface FieldGroup<Field> {
  readonly groupName: string;
  /** The parent group; null: none. */
  readonly parentGroupName: string | null;
  readonly fields: readonly Field[];
}

interface MetricField {
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

interface GroupByField extends MetricField {
  readonly example: string;
  /** Whether reports can be filtered by it. */
  readonly serveToFilter: boolean;
}

const uploadedMetric = texts(
  "Sum of the values uploaded under this name, amounts of money in the app's currency",
  "이 이름으로 업로드된 값의 합계. 금액은 앱의 통화로 환산됩니다",
  "この名前でアップロードされた値の合計。金額はアプリの通貨に換算されます",
);

/**
 * What an actuals report can be grouped, filtered and sorted by (contract/reports.md#group-bys), in the words of a
 * language (contract/http.md#languages).
 */
export function groupByMetadata(language: Language): readonly FieldGroup<GroupByField>[] {
  return groupByGroups.map(({ groupName, parentGroupName, fields }) => ({
    groupName: groupName[language],
    parentGroupName: parentGroupName?.[language] ?? null,
    fields: Object.entries(fields).map(([key, { name, example, description }]) => {
      return { key, name: name[language], example, description: description[language], serveToFilter: true };
    }),
  }));
}

/**
 * What an actuals report of an app can count (contract/reports.md#metrics), in the words of a language
 * (contract/http.md#languages): the catalogue, and what the app has uploaded and not archived, under its own name.
 */
export function metricMetadata(
  uploaded: readonly UploadedMetric[],
  language: Language,
): readonly FieldGroup<MetricField>[] {
  const ofUploads = uploaded
    .filter(({ eventCategory, archived }) => !archived && metricOf(eventCategory) === null)
    .map(({ eventCategory }) => ({
      key: eventCategory,
      name: eventCategory,
      description: uploadedMetric[language],
    }));
  return [...metricGroups, customMetrics].map(({ groupName, parentGroupName, fields }) => ({
    groupName: groupName[language],
    parentGroupName: parentGroupName?.[language] ?? null,
    fields: [
      ...Object.entries(fields).map(([key, { name, description }]) => {
        return { key, name: name[language], description: description[language] };
      }),
      ...(groupName === selfServeGroup ? ofUploads : []),
    ],
  }));
}
