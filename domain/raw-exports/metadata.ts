import { groupByFields, type QueryMetadata } from "../reporting/catalogue/query-metadata.ts";
import { eventsFor } from "../reporting/catalogue/selectable-events.ts";
import { reportLimits } from "../reporting/limits.ts";
import { type Translated, texts } from "../values/language.ts";
import { isEventKey } from "./export-event-keys.ts";
import { rawExportLimits, rawExportTypes } from "./export-query.ts";
import { type EventProperty, isPropertyKey, rawExportProperties } from "./properties.ts";

const properties: { readonly [key in EventProperty]: readonly [Translated, string, Translated?] } = {
  event_datetime: [
    texts("Date and time", "일시", "日時"),
    "2026-03-31T23:59:59.000+09:00",
    texts("Local date and time with offset", "오프셋이 포함된 현지 일시", "オフセット付きの現地日時"),
  ],
  event_timestamp: [
    texts("Timestamp", "타임스탬프", "タイムスタンプ"),
    "1774969199000",
    texts("Epoch milliseconds", "에포크 밀리초", "エポックミリ秒"),
  ],
  event_id: [
    texts("Event id", "이벤트 ID", "イベントID"),
    "5f0c8d1e-3c1b-4a52-8f55-0d2f6f3a9c01",
    texts("UUID of the event or touchpoint", "이벤트 또는 터치포인트의 UUID", "イベントまたはタッチポイントのUUID"),
  ],
  device_id: [texts("Device id", "기기 ID", "デバイスID"), "phone-1"],
  user_id: [
    texts("User id", "사용자 ID", "ユーザーID"),
    "e6b7880f-c9bb-8a73-ba80-0d3c659942f2",
    texts("Our id of the device", "자체적으로 부여한 기기 ID", "当サービスが付与するデバイスのID"),
  ],
  external_user_id: [
    texts("External user id", "외부 사용자 ID", "外部ユーザーID"),
    "u-1",
    texts("The app's own id of the user", "앱이 부여한 사용자 ID", "アプリが付与するユーザーのID"),
  ],
  event_value: [
    texts("Value", "금액", "金額"),
    "19.9",
    texts("Value of the event in its own currency", "이벤트 자체 통화 기준 금액", "イベント自体の通貨での金額"),
  ],
  event_currency: [
    texts("Currency of the value", "금액의 통화", "金額の通貨"),
    "USD",
    texts("ISO 4217 code", "ISO 4217 코드", "ISO 4217コード"),
  ],
  event_action: [texts("Action", "액션", "アクション"), "tap"],
  event_label: [texts("Label", "라벨", "ラベル"), "banner"],
  event_properties: [
    texts("Properties", "속성", "プロパティ"),
    '{"size":"M"}',
    texts("JSON as it was sent", "전송된 그대로의 JSON", "送信されたままのJSON"),
  ],
  match_type: [
    texts("Match", "매칭 방식", "マッチ方式"),
    "click_id",
    texts(
      "How the touchpoint was matched with the event",
      "터치포인트가 이벤트와 매칭된 방식",
      "タッチポイントがイベントとマッチした方式",
    ),
  ],
  attributed_touchpoint_datetime: [
    texts("Time of the attributed touchpoint", "어트리뷰션된 터치포인트의 일시", "アトリビューション先の日時"),
    "2026-03-31T23:50:00.000+09:00",
  ],
  click_id: [
    texts("Click id", "클릭 ID", "クリックID"),
    "01a204ed-d989-7d28-a245-2fadaf49e37d",
    texts("Id of the attributed click", "어트리뷰션된 클릭의 ID", "アトリビューション先のクリックのID"),
  ],
  ip: [texts("IP address", "IP 주소", "IPアドレス"), "203.0.113.7"],
  user_agent: [texts("User agent", "사용자 에이전트", "ユーザーエージェント"), "Mozilla/5.0"],
};

const typed = <Field extends { readonly key: string }>(field: Field) => {
  if (!isPropertyKey(field.key)) throw new Error(`${field.key} is no property of an export`);
  return { ...field, type: rawExportProperties[field.key] };
};

/** The metadata of raw exports (contract/reports.md#metadata). They have neither metrics nor granularities. */
export const rawExportMetadata: QueryMetadata = {
  path: "raw-export",
  fields: [
    ...groupByFields
      .map((group) => ({ ...group, fields: group.fields.filter(({ key }) => isPropertyKey(key)).map(typed) }))
      .filter(({ fields }) => fields.length > 0),
    {
      groupName: texts("Single event", "개별 이벤트", "個別イベント"),
      parentGroupName: null,
      fields: Object.entries(properties).map(([key, [name, example, description = name]]) =>
        typed({ key, name, example, description, serveToFilter: true }),
      ),
    },
  ],
  events: eventsFor((key) => {
    const types = rawExportTypes.filter((type) => isEventKey(type, key));
    return types.length === 0 ? null : { types };
  }),
  metrics: [],
  granularities: [],
  limits: [
    {
      key: "days",
      name: texts("Days from start to end", "시작부터 종료까지의 일수", "開始から終了までの日数"),
      value: rawExportLimits.rangeDays,
    },
    {
      key: "ageDays",
      name: texts(
        "Days from the start to the current date",
        "시작일부터 현재 날짜까지의 일수",
        "開始から現在の日付までの日数",
      ),
      value: rawExportLimits.oldestDays,
    },
    { key: "events", name: texts("Events", "이벤트 수", "イベントの数"), value: rawExportLimits.events },
    {
      key: "properties",
      name: texts("Properties", "속성 수", "プロパティの数"),
      value: Object.keys(rawExportProperties).length,
    },
    { key: "filters", name: texts("Filters", "필터 수", "フィルターの数"), value: reportLimits.filters },
    {
      key: "requestsPerDay",
      name: texts("Exports of an app a day", "앱별 일일 내보내기 수", "アプリごとの1日のエクスポート数"),
      value: rawExportLimits.perDay,
    },
  ],
};
