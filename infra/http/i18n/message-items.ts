import type { Translations } from "./translation.ts";

/**
 * Why an item of a bulk request is not taken: `rejected[].message` (contract/ingest.md#app-events,
 * contract/ingest.md#touchpoints).
 */
export const items: Translations = {
  "The item {fault}.": { ko: "항목: {fault}.", ja: "項目: {fault}。" },
  "The item {fault} (and {others} more).": {
    ko: "항목: {fault}(그 외 {others}건).",
    ja: "項目: {fault}(他{others}件)。",
  },
  "{field} {fault}.": { ko: "{field}: {fault}.", ja: "{field}: {fault}。" },
  "{field} {fault} (and {others} more).": {
    ko: "{field}: {fault}(그 외 {others}건).",
    ja: "{field}: {fault}(他{others}件)。",
  },
  "Texts must not hold U+0000 or lone surrogates.": {
    ko: "텍스트에 U+0000이나 짝이 없는 서로게이트를 포함할 수 없습니다.",
    ja: "テキストにU+0000や対になっていないサロゲートを含めることはできません。",
  },
  "This device reports too often; send the item again later.": {
    ko: "이 기기의 전송 빈도가 너무 높습니다. 나중에 해당 항목을 다시 보내 주십시오.",
    ja: "このデバイスからの送信頻度が高すぎます。後でその項目をもう一度送信してください。",
  },

  "eventId must be a UUID, and not the nil UUID.": {
    ko: "eventId는 nil UUID가 아닌 UUID여야 합니다.",
    ja: "eventIdは、nil UUIDではないUUIDである必要があります。",
  },
  "eventTimestamp must be ISO 8601 with an offset, or epoch milliseconds.": {
    ko: "eventTimestamp는 오프셋을 포함한 ISO 8601 형식이거나 밀리초 단위의 에포크 시각이어야 합니다.",
    ja: "eventTimestampは、オフセット付きのISO 8601形式、またはミリ秒単位のエポック時刻である必要があります。",
  },
  "eventTimestamp lies more than 10 minutes ahead.": {
    ko: "eventTimestamp가 현재보다 10분 넘게 앞서 있습니다.",
    ja: "eventTimestampが現在より10分を超えて先の時刻です。",
  },
  "eventTimestamp lies further back than this token may report: 31 days, an owner 800.": {
    ko: "eventTimestamp가 이 토큰으로 보고할 수 있는 기간보다 오래되었습니다. 31일까지 가능하며 owner는 800일까지 가능합니다.",
    ja: "eventTimestampが、このトークンで報告できる期間より前の時刻です。31日前まで、ownerは800日前まで報告できます。",
  },
  "category must be a known category of app events, or custom:<name>.": {
    ko: "category는 정의된 앱 이벤트 카테고리이거나 custom:<name>이어야 합니다.",
    ja: "categoryは、定義済みのアプリイベントのカテゴリ、またはcustom:<name>である必要があります。",
  },
  "currency must be an ISO 4217 code.": {
    ko: "currency는 ISO 4217 코드여야 합니다.",
    ja: "currencyはISO 4217コードである必要があります。",
  },
  "device.country must be an ISO 3166 code of two letters.": {
    ko: "device.country는 두 글자의 ISO 3166 코드여야 합니다.",
    ja: "device.countryは2文字のISO 3166コードである必要があります。",
  },
  "properties must be at most 8 KiB of JSON.": {
    ko: "properties는 JSON으로 8KiB 이하여야 합니다.",
    ja: "propertiesはJSONで8KiB以下である必要があります。",
  },

  "touchpointId must be a UUID, and not the nil UUID.": {
    ko: "touchpointId는 nil UUID가 아닌 UUID여야 합니다.",
    ja: "touchpointIdは、nil UUIDではないUUIDである必要があります。",
  },
  "timestamp must be ISO 8601 with an offset, or epoch milliseconds.": {
    ko: "timestamp는 오프셋을 포함한 ISO 8601 형식이거나 밀리초 단위의 에포크 시각이어야 합니다.",
    ja: "timestampは、オフセット付きのISO 8601形式、またはミリ秒単位のエポック時刻である必要があります。",
  },
  "timestamp lies more than 10 minutes ahead.": {
    ko: "timestamp가 현재보다 10분 넘게 앞서 있습니다.",
    ja: "timestampが現在より10分を超えて先の時刻です。",
  },
  "timestamp lies more than 800 days back.": {
    ko: "timestamp가 800일보다 더 오래되었습니다.",
    ja: "timestampが800日より前の時刻です。",
  },
  "channel is required, unless trackingLinkId names the link whose channel it is.": {
    ko: "trackingLinkId로 해당 채널의 링크를 지정하지 않으면 channel은 필수 항목입니다.",
    ja: "trackingLinkIdでそのチャネルのリンクを指定しない場合、channelは必須です。",
  },
  "channel is a reserved name, or has control characters or white space around it.": {
    ko: "channel이 예약된 이름이거나, 제어 문자 또는 앞뒤 공백이 포함되어 있습니다.",
    ja: "channelが予約済みの名前であるか、制御文字または前後の空白が含まれています。",
  },
  "trackingLinkId names no tracking link of this app.": {
    ko: "trackingLinkId에 해당하는 이 앱의 트래킹 링크가 없습니다.",
    ja: "trackingLinkIdに該当するこのアプリのトラッキングリンクがありません。",
  },
  "channel is not that of the tracking link; leave it out or send the link's.": {
    ko: "channel이 트래킹 링크의 채널과 다릅니다. 생략하거나 링크의 채널을 보내 주십시오.",
    ja: "channelがトラッキングリンクのチャネルと異なります。省略するか、リンクのチャネルを送信してください。",
  },
};
