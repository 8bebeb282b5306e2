import { type Language, texts } from "../../values/language.ts";
import { customMetrics, metricGroups, metricOf, selfServeGroup } from "../catalogue/catalogue.ts";
import type { UploadedMetric } from "../catalogue/metric.ts";
import { inLanguage } from "../catalogue/query-metadata.ts";

const uploadedMetric = texts(
  "Sum of the values uploaded under this name, amounts of money in the app's currency",
  "이 이름으로 업로드된 값의 합계. 금액은 앱의 통화로 환산됩니다",
  "この名前でアップロードされた値の合計。金額はアプリの通貨に換算されます",
);

/**
 * The metrics of an app's actuals reports (contract/reports.md#metrics), by group and in a language
 * (contract/http.md#languages): the catalogue, and the app's uploaded metrics that are not archived, under their names.
 */
export function metricMetadata(uploaded: readonly UploadedMetric[], language: Language) {
  const ofUploads = uploaded
    .filter(({ eventCategory, archived }) => !archived && metricOf(eventCategory) === null)
    .map(({ eventCategory }) => ({ key: eventCategory, name: eventCategory, description: uploadedMetric }));
  const groups = [...metricGroups, customMetrics].map(({ groupName, parentGroupName, fields }) => ({
    groupName,
    parentGroupName,
    fields: [
      ...Object.entries(fields).map(([key, { name, description }]) => ({ key, name, description })),
      ...(groupName === selfServeGroup ? ofUploads : []),
    ],
  }));
  return inLanguage(groups, language);
}
