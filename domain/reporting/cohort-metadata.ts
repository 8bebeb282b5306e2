import { texts } from "../values/language.ts";
import { granularitiesOf, groupByFields, type Limit, queryLimits } from "./catalogue/query-metadata.ts";
import { eventsFor } from "./catalogue/selectable-events.ts";
import { lastInterval } from "./granularity.ts";
import { reportLimits } from "./limits.ts";
import { isReturnEvent } from "./return-events.ts";

const intervals = {
  day: texts("Local dates since the start", "시작 이후의 현지 날짜 수", "開始からの現地日付の数"),
  week: texts("7-day units since the start", "시작 이후의 7일 단위", "開始からの7日単位"),
  month: texts("Same-day months since the start", "시작일과 같은 날짜 기준의 개월 수", "開始日と同じ日付で数えた月数"),
  hour: texts(
    "Hours since the start, with installs as start events alone",
    "시작 이후의 시간 수. 시작 이벤트가 설치일 때만 가능합니다",
    "開始からの時間数。開始イベントがインストールの場合のみ使用できます",
  ),
  minute: texts(
    "Minutes since the start, with installs as start events alone",
    "시작 이후의 분 수. 시작 이벤트가 설치일 때만 가능합니다",
    "開始からの分数。開始イベントがインストールの場合のみ使用できます",
  ),
};

/** Common metadata of reports on cohorts (contract/reports.md#metadata). */
export function cohortMetadata(startEvents: readonly string[]) {
  return {
    fields: groupByFields,
    events: eventsFor((key) =>
      isReturnEvent(key) ? { serveToStart: startEvents.includes(key), serveToReturn: true } : null,
    ),
    granularities: granularitiesOf(intervals, (granularity) => ({ lastInterval: lastInterval[granularity] })),
  };
}

/** Limits of reports on cohorts (contract/limits.md#reports). */
export const cohortLimits: readonly Limit[] = [
  ...queryLimits,
  {
    key: "returnEvents",
    name: texts("Return events", "리턴 이벤트 수", "リターンイベントの数"),
    value: reportLimits.returnEvents,
  },
  {
    key: "subRows",
    name: texts(
      "Sub-rows of a result, of all rows together",
      "결과의 모든 행에 속한 하위 행 수",
      "結果の全行のサブ行の合計数",
    ),
    value: reportLimits.subRows,
  },
];
