import type { Translation, Translations } from "./translation.ts";

/** Words that stand in the middle of texts: types and formats of fields, and what reports ask by. */
export const words: Translations = {
  array: { ko: "배열", ja: "配列" },
  boolean: { ko: "참/거짓 값", ja: "真偽値" },
  integer: { ko: "정수", ja: "整数" },
  null: { ko: "null", ja: "null" },
  number: { ko: "숫자", ja: "数値" },
  object: { ko: "객체", ja: "オブジェクト" },
  string: { ko: "문자열", ja: "文字列" },

  "channel name": { ko: "채널 이름", ja: "チャネル名" },
  "conversion value: 0 to 63, low, medium or high": {
    ko: "전환 값(0~63, low, medium, high)",
    ja: "コンバージョン値(0〜63、low、medium、high)",
  },
  date: { ko: "날짜", ja: "日付" },
  "date-time": { ko: "날짜와 시각", ja: "日時" },
  "duration up to 30d, such as 90m, 24h or 7d": {
    ko: "최대 30d의 기간(예: 90m, 24h, 7d)",
    ja: "30d以内の期間(例: 90m、24h、7d)",
  },
  email: { ko: "이메일 주소", ja: "メールアドレス" },
  "host name": { ko: "호스트 이름", ja: "ホスト名" },
  "http(s) URL": { ko: "http(s) URL", ja: "http(s)のURL" },
  "IANA time zone": { ko: "IANA 시간대", ja: "IANAタイムゾーン" },
  "IP address": { ko: "IP 주소", ja: "IPアドレス" },
  "ISO 4217 currency": { ko: "ISO 4217 통화 코드", ja: "ISO 4217通貨コード" },
  "local date": { ko: "현지 날짜", ja: "現地日付" },
  "log position or instant": { ko: "로그 위치 또는 시각", ja: "ログの位置または時刻" },
  uuid: { ko: "UUID", ja: "UUID" },

  "group-by": { ko: "그룹바이", ja: "グループバイ" },
  interval: { ko: "구간", ja: "区間" },
  metric: { ko: "메트릭", ja: "メトリック" },
  row: { ko: "행", ja: "行" },
};

/** What stands between words that may each be meant. */
export const alternatives: Translation = { ko: " 또는 ", ja: "または" };
