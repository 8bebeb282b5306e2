import { texts } from "../../values/language.ts";
import { field } from "./group-by-field.ts";

/** When it was, on the app's clock (contract/reports.md#group-bys). */
export const date = {
  event_date: field(texts("Date", "날짜", "日付"), "2026-03-31", texts("Local date", "현지 날짜", "現地日付")),
  event_year: field(texts("Year", "연도", "年"), "2026", texts("Local year", "현지 연도", "現地の年")),
  event_month: field(texts("Month", "월", "月"), "2026-03", texts("Local month", "현지 월", "現地の月")),
  event_week: field(
    texts("Week", "주", "週"),
    "2026-03-30",
    texts("Monday of the local ISO week", "현지 ISO 주의 월요일", "現地のISO週の月曜日"),
  ),
  event_day_of_week: field(
    texts("Day of the week", "요일", "曜日"),
    "1",
    texts(
      "ISO number of the local day of the week: 1 is Monday, 7 Sunday",
      "현지 요일의 ISO 번호: 1은 월요일, 7은 일요일",
      "現地の曜日のISO番号: 1は月曜日、7は日曜日",
    ),
  ),
  event_hour: field(
    texts("Hour", "시간", "時間"),
    "09",
    texts(
      "Local hour of the day, 00 to 23; empty for uploaded data",
      "현지 시각의 시(00~23). 업로드된 데이터에는 비어 있습니다",
      "現地時刻の時(00〜23)。アップロードされたデータでは空です",
    ),
  ),
};

/** What happened (contract/reports.md#group-bys). */
export const event = {
  event_source: field(
    texts("Event source", "이벤트 소스", "イベントソース"),
    "app",
    texts(
      "app, web or tracking_link; of uploaded metrics as uploaded, if at all",
      "app, web 또는 tracking_link. 업로드된 메트릭은 업로드된 값을 따르며 없을 수 있습니다",
      "app、web、またはtracking_link。アップロードされたメトリックではアップロードされた値で、ない場合もあります",
    ),
  ),
  event_type: field(
    texts("Event type", "이벤트 유형", "イベントタイプ"),
    "in_app",
    texts(
      "target (attributed itself), in_app (any other app event), touchpoint or uploaded",
      "target(직접 어트리뷰션되는 이벤트), in_app(그 밖의 앱 이벤트), touchpoint 또는 uploaded",
      "target(それ自体がアトリビューションされるイベント)、in_app(その他のアプリイベント)、touchpoint、またはuploaded",
    ),
  ),
  event_category: field(
    texts("Event category", "이벤트 카테고리", "イベントカテゴリ"),
    "app_install",
    texts(
      "Category of the app event, custom ones as custom:<name>; click or impression; name of the uploaded metric",
      "앱 이벤트의 카테고리(커스텀 이벤트는 custom:<name>), click 또는 impression, 업로드된 메트릭의 이름",
      "アプリイベントのカテゴリ(カスタムイベントはcustom:<name>)、clickまたはimpression、アップロードされたメトリックの名前",
    ),
  ),
  event_name: field(
    texts("Event name", "이벤트 이름", "イベント名"),
    "app_install",
    texts(
      "The category, custom ones by their bare name",
      "카테고리. 커스텀 이벤트는 이름만 표시합니다",
      "カテゴリ。カスタムイベントは名前のみを表示します",
    ),
  ),
  is_first_event_per_device_id: field(
    texts("First event per device", "기기별 첫 이벤트", "デバイスごとの初回イベント"),
    "true",
    texts(
      "Whether it is the device's first event of its category",
      "해당 카테고리에서 기기의 첫 이벤트인지 여부",
      "そのカテゴリでデバイスの初回イベントかどうか",
    ),
  ),
  is_first_event_per_user_id: field(
    texts("First event per user", "사용자별 첫 이벤트", "ユーザーごとの初回イベント"),
    "true",
    texts(
      "Whether it is the user's first event of its category",
      "해당 카테고리에서 사용자의 첫 이벤트인지 여부",
      "そのカテゴリでユーザーの初回イベントかどうか",
    ),
  ),
  currency: field(
    texts("Currency", "통화", "通貨"),
    "USD",
    texts(
      "ISO 4217 code of the event's value, or of the uploaded amount",
      "이벤트 금액 또는 업로드된 금액의 ISO 4217 코드",
      "イベントの金額、またはアップロードされた金額のISO 4217コード",
    ),
  ),
};

/** On what device (contract/reports.md#group-bys). */
export const device = {
  os_name: field(
    texts("Operating system", "운영체제", "オペレーティングシステム"),
    "Android",
    texts("Android, iOS or Web", "Android, iOS 또는 Web", "Android、iOS、またはWeb"),
  ),
  os_version: field(
    texts("Version of the operating system", "운영체제 버전", "オペレーティングシステムのバージョン"),
    "16.1",
  ),
  app_version: field(
    texts("App version", "앱 버전", "アプリバージョン"),
    "3.2.0",
    texts("Version of the app", "앱의 버전", "アプリのバージョン"),
  ),
  country: field(
    texts("Country", "국가", "国"),
    "KR",
    texts("ISO 3166 code, upper case", "대문자 ISO 3166 코드", "大文字のISO 3166コード"),
  ),
  language: field(
    texts("Language", "언어", "言語"),
    "ko",
    texts("Language of the device", "기기의 언어", "デバイスの言語"),
  ),
  device_model: field(texts("Device model", "기기 모델", "デバイスモデル"), "Pixel 9"),
  device_manufacturer: field(texts("Device manufacturer", "기기 제조사", "デバイスメーカー"), "Google"),
  device_type: field(texts("Device type", "기기 유형", "デバイスタイプ"), "phone"),
};
