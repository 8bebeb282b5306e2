import { type Translated, texts } from "../../values/language.ts";
import { anyEvent } from "../catalogue/event-keys.ts";
import { granularitiesOf, groupByFields, type QueryMetadata, queryLimits } from "../catalogue/query-metadata.ts";
import { revenueCategories } from "../catalogue/report-constants.ts";
import { eventsFor } from "../catalogue/selectable-events.ts";
import { reportLimits } from "../limits.ts";
import { type ActiveUsersMetric, type Activity, countedFor } from "./metrics.ts";

const intervals = {
  day: texts("Local dates", "현지 날짜", "現地日付"),
  week: texts("7-day blocks from the first date", "시작일부터의 7일 단위", "開始日からの7日単位"),
  month: texts("Same-day months from the first date", "시작일과 같은 날짜 기준의 월", "開始日と同じ日付で区切った月"),
  hour: texts("Hours of the local day", "현지 시간", "現地の時間"),
  minute: texts("Minutes of the local day", "현지 분", "現地の分"),
};

const metrics: { readonly [key in ActiveUsersMetric]: readonly [name: Translated, description: Translated] } = {
  app_au: [
    texts("Active devices", "활성 기기", "アクティブデバイス"),
    texts(
      "Number of distinct devices with an app event",
      "앱 이벤트가 있는 고유 기기 수",
      "アプリイベントがあったデバイスのユニーク数",
    ),
  ],
  app_pu: [
    texts("Paying devices", "구매 기기", "課金デバイス"),
    texts(
      "Number of distinct devices with a completed order or a subscription",
      "완료된 주문 또는 구독이 있는 고유 기기 수",
      "完了した注文またはサブスクリプションがあったデバイスのユニーク数",
    ),
  ],
  app_arpu: [
    texts("ARPU", "ARPU", "ARPU"),
    texts("Revenue per active device", "활성 기기당 매출", "アクティブデバイスあたりの収益"),
  ],
  app_arppu: [
    texts("ARPPU", "ARPPU", "ARPPU"),
    texts("Revenue per paying device", "구매 기기당 매출", "課金デバイスあたりの収益"),
  ],
  app_revenue: [
    texts("Revenue", "매출", "収益"),
    texts(
      "Net revenue: completed orders and subscriptions minus cancelled orders",
      "순매출: 완료된 주문과 구독에서 취소된 주문을 뺀 금액",
      "純収益: 完了した注文とサブスクリプションからキャンセルされた注文を差し引いた金額",
    ),
  ],
};

/** The events behind each count of an interval. */
const countedEvents: { readonly [counted in keyof Activity]: readonly string[] } = {
  active: [anyEvent],
  paying: revenueCategories.adds,
  revenue: [...revenueCategories.adds, ...revenueCategories.subtracts],
};

const keys = Object.keys(metrics) as readonly ActiveUsersMetric[];

/** The metadata of active users reports (contract/reports.md#metadata). */
export const activeUsersMetadata: QueryMetadata = {
  path: "active-users-report",
  fields: groupByFields,
  events: eventsFor((event) => {
    const counting = keys.filter((key) => countedFor[key].some((counted) => countedEvents[counted].includes(event)));
    return counting.length === 0 ? null : { metrics: counting };
  }),
  metrics: [
    {
      groupName: texts("Metrics", "메트릭", "メトリック"),
      parentGroupName: null,
      fields: keys.map((key) => ({ key, name: metrics[key][0], description: metrics[key][1] })),
    },
  ],
  granularities: granularitiesOf(intervals, () => ({})),
  limits: [
    ...queryLimits,
    { key: "metrics", name: texts("Metrics", "메트릭 수", "メトリックの数"), value: reportLimits.metrics },
  ],
};
