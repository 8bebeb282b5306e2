import { type Language, languages, type Translated, texts } from "../../values/language.ts";
import { type Granularity, granularities } from "../granularity.ts";
import { reportLimits } from "../limits.ts";
import { groupByGroups, groupBys } from "./group-bys.ts";

/** A field, event or metric that a query can name. */
export interface Named {
  readonly key: string;
  readonly name: Translated;
  readonly description: Translated;
}

/** Fields, events or metrics that belong together. */
export interface FieldGroup<Field extends Named> {
  readonly groupName: Translated;
  /** Null: none. */
  readonly parentGroupName: Translated | null;
  readonly fields: readonly Field[];
}

export interface Limit {
  readonly key: string;
  readonly name: Translated;
  readonly value: number;
}

/** The metadata of a kind of query (contract/reports.md#metadata): exactly what its POST accepts. */
export interface QueryMetadata {
  /** Its segment in the path of the metadata. */
  readonly path: string;
  readonly fields: readonly FieldGroup<Named & { readonly example: string; readonly serveToFilter: boolean }>[];
  readonly events: readonly FieldGroup<Named>[];
  readonly metrics: readonly FieldGroup<Named & { readonly [more: string]: unknown }>[];
  readonly granularities: readonly Named[];
  readonly limits: readonly Limit[];
}

type InLanguage<Value> = Value extends Translated
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly InLanguage<Item>[]
    : Value extends object
      ? { readonly [name in keyof Value]: InLanguage<Value[name]> }
      : Value;

/** A value with each text in one language (contract/http.md#languages). */
export function inLanguage<Value>(value: Value, language: Language): InLanguage<Value> {
  return translated(value, language) as InLanguage<Value>;
}

function translated(value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((item) => translated(item, language));
  if (typeof value !== "object" || value === null) return value;
  if (isTranslated(value)) return value[language];
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, translated(item, language)]));
}

function isTranslated(value: object): value is Translated {
  return languages.every((language) => Object.hasOwn(value, language));
}

/** The fields by which reports can be grouped and filtered (contract/reports.md#group-bys). */
export const groupByFields = groupByGroups.map(({ groupName, parentGroupName, fields }) => ({
  groupName,
  parentGroupName,
  fields: Object.entries(fields).map(([key, { name, example, description }]) => {
    return { key, name, example, description, serveToFilter: true };
  }),
}));

const granularityNames: { readonly [granularity in Granularity]: Translated } = {
  day: texts("Day", "일", "日"),
  week: texts("Week", "주", "週"),
  month: texts("Month", "월", "月"),
  hour: texts("Hour", "시간", "時間"),
  minute: texts("Minute", "분", "分"),
};

/** The granularities of a report, with a description of their intervals. */
export function granularitiesOf<More extends object>(
  intervals: { readonly [granularity in Granularity]: Translated },
  moreOf: (granularity: Granularity) => More,
): readonly (Named & More)[] {
  return granularities.map((key) => ({
    key,
    name: granularityNames[key],
    description: intervals[key],
    ...moreOf(key),
  }));
}

/** Limits of every report (contract/limits.md#reports). */
export const queryLimits: readonly Limit[] = [
  {
    key: "dates",
    name: texts(
      "Dates of a report, the first and the last included",
      "리포트의 날짜 수(시작일과 종료일 포함)",
      "レポートの日数(開始日と終了日を含む)",
    ),
    value: reportLimits.days,
  },
  {
    key: "groupBys",
    name: texts("Group-bys", "그룹 기준 수", "グループ化項目の数"),
    value: Object.keys(groupBys).length,
  },
  { key: "filters", name: texts("Filters", "필터 수", "フィルターの数"), value: reportLimits.filters },
  { key: "rows", name: texts("Rows of a result", "결과의 행 수", "結果の行数"), value: reportLimits.rows },
  {
    key: "cells",
    name: texts("Cells of a result", "결과의 셀 수", "結果のセル数"),
    value: reportLimits.cells,
  },
  { key: "size", name: texts("Rows of a page", "페이지의 행 수", "ページの行数"), value: reportLimits.page },
];
