import { type Translated, texts } from "../../values/language.ts";

/** A group-by in metadata. The description defaults to the name. */
const field = (name: Translated, example: string, description = name) => ({ name, example, description });

const subSubPublisher = (level: number, example: string, en: string, ko: string) =>
  field(
    texts(`Sub-sub-publisher ${level}`, `서브 서브 퍼블리셔 ${level}`, `サブサブパブリッシャー${level}`),
    example,
    texts(
      `${en} level below the sub-publisher`,
      `서브 퍼블리셔의 ${ko} 하위 단계`,
      `サブパブリッシャーの${level}つ下の階層`,
    ),
  );

const furtherSubId = (number: number, example: string, en: string, ko: string) =>
  field(
    texts(`Sub-id ${number}`, `서브 ID ${number}`, `サブID ${number}`),
    example,
    texts(`${en} further sub-id`, `${ko} 추가 서브 ID`, `${number}つ目の追加サブID`),
  );

/** Date and time in the app's time zone (contract/reports.md#group-bys). */
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

/** Properties of the event (contract/reports.md#group-bys). */
const event = {
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

/** Properties of the device (contract/reports.md#group-bys). */
const device = {
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

/** The attributed channel (contract/reports.md#group-bys). */
const channel = {
  channel: field(
    texts("Channel", "채널", "チャネル"),
    "google.adwords",
    texts(
      "Channel of the touchpoint or of the uploaded row, or the one that an app event is attributed to; else unattributed",
      "터치포인트 또는 업로드된 행의 채널, 앱 이벤트가 어트리뷰션된 채널. 그 밖에는 unattributed",
      "タッチポイントまたはアップロードされた行のチャネル、アプリイベントがアトリビューションされたチャネル。それ以外はunattributed",
    ),
  ),
  channel_type: field(
    texts("Channel type", "채널 유형", "チャネルタイプ"),
    "integrated",
    texts("integrated or custom", "integrated 또는 custom", "integratedまたはcustom"),
  ),
};

/** The campaign of the channel (contract/reports.md#group-bys). */
const campaign = {
  campaign: field(texts("Campaign", "캠페인", "キャンペーン"), "spring_sale"),
  campaign_id: field(texts("Campaign id", "캠페인 ID", "キャンペーンID"), "c-1"),
  ad_group: field(texts("Ad group", "광고 그룹", "広告グループ"), "newcomers"),
  ad_group_id: field(texts("Ad group id", "광고 그룹 ID", "広告グループID"), "g-1"),
  ad_creative: field(texts("Ad creative", "광고 크리에이티브", "広告クリエイティブ"), "video_15s"),
  ad_creative_id: field(texts("Ad creative id", "광고 크리에이티브 ID", "広告クリエイティブID"), "v-1"),
  content: field(texts("Content", "콘텐츠", "コンテンツ"), "banner"),
  term: field(texts("Term", "키워드", "キーワード"), "shoes"),
  term_id: field(texts("Term id", "키워드 ID", "キーワードID"), "t-1"),
};

/** The publisher (contract/reports.md#group-bys). */
const publisher = {
  sub_publisher: field(texts("Sub-publisher", "서브 퍼블리셔", "サブパブリッシャー"), "news_site"),
  sub_sub_publisher_1: subSubPublisher(1, "sports", "First", "첫 번째"),
  sub_sub_publisher_2: subSubPublisher(2, "football", "Second", "두 번째"),
  sub_sub_publisher_3: subSubPublisher(3, "article", "Third", "세 번째"),
};

/** The tracking link (contract/reports.md#group-bys). */
const link = {
  tracking_link_id: field(
    texts("Tracking link id", "트래킹 링크 ID", "トラッキングリンクID"),
    "4503599627370496",
    texts("Id of the tracking link", "트래킹 링크의 ID", "トラッキングリンクのID"),
  ),
  touchpoint_type: field(
    texts("Touchpoint type", "터치포인트 유형", "タッチポイントタイプ"),
    "click",
    texts(
      "click or impression: the touchpoint itself, or the one that an app event is attributed to",
      "click 또는 impression: 터치포인트 자체 또는 앱 이벤트가 어트리뷰션된 터치포인트",
      "clickまたはimpression: タッチポイント自体、またはアプリイベントがアトリビューションされたタッチポイント",
    ),
  ),
  is_reengagement: field(
    texts("Re-engagement", "리인게이지먼트", "リエンゲージメント"),
    "false",
    texts(
      "true for links made for re-engagement (ON-TRUE), else false, as the link's detail says",
      "리인게이지먼트용 링크(ON-TRUE)는 true, 그 밖에는 false. 링크 상세 정보와 같습니다",
      "リエンゲージメント用のリンク(ON-TRUE)はtrue、それ以外はfalse。リンクの詳細と同じです",
    ),
  ),
  sub_id: field(texts("Sub-id", "서브 ID", "サブID"), "s-1"),
  sub_id_1: furtherSubId(1, "s-1-a", "First", "첫 번째"),
  sub_id_2: furtherSubId(2, "s-1-b", "Second", "두 번째"),
  sub_id_3: furtherSubId(3, "s-1-c", "Third", "세 번째"),
};

/**
 * The fields by which reports can be grouped, filtered and sorted (contract/reports.md#group-bys).
 * Missing values are null.
 */
export const groupBys = { ...date, ...event, ...channel, ...campaign, ...publisher, ...link, ...device };

const channelGroup = texts("Channel", "채널", "チャネル");

/** Group-bys by group, each with its parent group. */
export const groupByGroups = [
  { groupName: texts("Date", "날짜", "日付"), parentGroupName: null, fields: date },
  { groupName: texts("Event", "이벤트", "イベント"), parentGroupName: null, fields: event },
  { groupName: channelGroup, parentGroupName: null, fields: channel },
  { groupName: texts("Campaign", "캠페인", "キャンペーン"), parentGroupName: channelGroup, fields: campaign },
  { groupName: texts("Publisher", "퍼블리셔", "パブリッシャー"), parentGroupName: channelGroup, fields: publisher },
  {
    groupName: texts("Tracking link", "트래킹 링크", "トラッキングリンク"),
    parentGroupName: channelGroup,
    fields: link,
  },
  { groupName: texts("Device", "기기", "デバイス"), parentGroupName: null, fields: device },
] as const;

export type GroupByKey = keyof typeof groupBys;

export function isGroupByKey(key: string): key is GroupByKey {
  return Object.hasOwn(groupBys, key);
}
