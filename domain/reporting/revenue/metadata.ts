import { type Translated, texts } from "../../values/language.ts";
import type { QueryMetadata } from "../catalogue/query-metadata.ts";
import { cohortLimits, cohortMetadata } from "../cohort-metadata.ts";
import {
  aggregationTypesOf,
  maxRevenueAgeDays,
  type RevenueQuery,
  revenueMetrics,
  revenueStartEvents,
  sortableTotals,
} from "./query.ts";

type Texts<Key extends string> = { readonly [key in Key]: readonly [name: Translated, description: Translated] };

const metrics: Texts<RevenueQuery["metric"]> = {
  app_revenue: [
    texts("Revenue", "매출", "収益"),
    texts(
      "Value of the return events in the app's currency, gross of cancellations",
      "리턴 이벤트의 금액(앱의 통화 기준). 취소를 빼지 않은 총액입니다",
      "リターンイベントの金額(アプリの通貨)。キャンセルを差し引かない総額です",
    ),
  ],
  app_user_count: [
    texts("Returned devices", "돌아온 기기", "戻ってきたデバイス"),
    texts(
      "Number of distinct devices with a return event",
      "리턴 이벤트가 있는 고유 기기 수",
      "リターンイベントがあったデバイスのユニーク数",
    ),
  ],
  app_event_count: [
    texts("Return events", "리턴 이벤트", "リターンイベント"),
    texts("Number of return events", "리턴 이벤트 수", "リターンイベントの数"),
  ],
  app_roas: [
    texts("ROAS", "ROAS", "ROAS"),
    texts(
      "Cumulative revenue in percent of the cohort's cost: 100 is break-even",
      "코호트 비용 대비 누적 매출의 백분율: 100이 손익분기점입니다",
      "コホートのコストに対する累計収益の割合(%): 100が損益分岐点です",
    ),
  ],
  app_arpu: [
    texts("ARPU", "ARPU", "ARPU"),
    texts(
      "Cumulative revenue per device of the cohort",
      "코호트의 기기당 누적 매출",
      "コホートのデバイスあたりの累計収益",
    ),
  ],
  app_arppu: [
    texts("ARPPU", "ARPPU", "ARPPU"),
    texts(
      "Revenue per device with an amount above 0",
      "금액이 0보다 큰 기기당 매출",
      "金額が0を超えるデバイスあたりの収益",
    ),
  ],
};

const totals: Texts<(typeof sortableTotals)[number]> = {
  totalRevenue: [
    texts("Total revenue", "총매출", "総収益"),
    texts(
      "The cohort's revenue up to the last interval reached",
      "도달한 마지막 구간까지의 코호트 매출",
      "到達した最後の区間までのコホートの収益",
    ),
  ],
  totalCost: [
    texts("Total cost", "총비용", "総コスト"),
    texts(
      "Uploaded cost of the cohort's dates and group",
      "코호트의 날짜와 그룹에 해당하는 업로드된 비용",
      "コホートの日付とグループのアップロードされたコスト",
    ),
  ],
  totalUniqueUsers: [
    texts("Cohort size", "코호트 크기", "コホートの規模"),
    texts("Number of devices that started", "시작한 기기 수", "開始したデバイスの数"),
  ],
};

function fieldsOf<Key extends string>(
  keys: readonly Key[],
  textsOf: Texts<Key>,
  typesOf: (key: Key) => readonly string[],
) {
  return keys.map((key) => {
    const [name, description] = textsOf[key];
    return { key, name, description, serveToSort: true, aggregationTypes: typesOf(key) };
  });
}

/** The metadata of revenue reports (contract/reports.md#metadata). */
export const revenueMetadata: QueryMetadata = {
  path: "revenue-report",
  ...cohortMetadata(revenueStartEvents),
  metrics: [
    {
      groupName: texts("Metrics", "메트릭", "メトリック"),
      parentGroupName: null,
      fields: fieldsOf(revenueMetrics, metrics, aggregationTypesOf),
    },
    {
      groupName: texts("Totals", "합계", "合計"),
      parentGroupName: null,
      fields: fieldsOf(sortableTotals, totals, () => []),
    },
  ],
  limits: [
    ...cohortLimits,
    {
      key: "ageDays",
      name: texts(
        "Days from the first date to the current one",
        "시작일부터 현재 날짜까지의 일수",
        "開始日から現在の日付までの日数",
      ),
      value: maxRevenueAgeDays,
    },
  ],
};
