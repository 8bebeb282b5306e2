import { texts } from "../../values/language.ts";
import { field } from "./group-by-field.ts";

/** Which channel brought it (contract/reports.md#group-bys). */
export const channel = {
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

/** Which campaign of the channel (contract/reports.md#group-bys). */
export const campaign = {
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

/** Where the channel has shown it (contract/reports.md#group-bys). */
export const publisher = {
  sub_publisher: field(texts("Sub-publisher", "서브 퍼블리셔", "サブパブリッシャー"), "news_site"),
  sub_sub_publisher_1: field(
    texts("Sub-sub-publisher 1", "서브 서브 퍼블리셔 1", "サブサブパブリッシャー1"),
    "sports",
    texts(
      "First level below the sub-publisher",
      "서브 퍼블리셔의 첫 번째 하위 단계",
      "サブパブリッシャーの1つ下の階層",
    ),
  ),
  sub_sub_publisher_2: field(
    texts("Sub-sub-publisher 2", "서브 서브 퍼블리셔 2", "サブサブパブリッシャー2"),
    "football",
    texts(
      "Second level below the sub-publisher",
      "서브 퍼블리셔의 두 번째 하위 단계",
      "サブパブリッシャーの2つ下の階層",
    ),
  ),
  sub_sub_publisher_3: field(
    texts("Sub-sub-publisher 3", "서브 서브 퍼블리셔 3", "サブサブパブリッシャー3"),
    "article",
    texts(
      "Third level below the sub-publisher",
      "서브 퍼블리셔의 세 번째 하위 단계",
      "サブパブリッシャーの3つ下の階層",
    ),
  ),
};

/** By which tracking link (contract/reports.md#group-bys). */
export const link = {
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
  sub_id_1: field(
    texts("Sub-id 1", "서브 ID 1", "サブID 1"),
    "s-1-a",
    texts("First further sub-id", "첫 번째 추가 서브 ID", "1つ目の追加サブID"),
  ),
  sub_id_2: field(
    texts("Sub-id 2", "서브 ID 2", "サブID 2"),
    "s-1-b",
    texts("Second further sub-id", "두 번째 추가 서브 ID", "2つ目の追加サブID"),
  ),
  sub_id_3: field(
    texts("Sub-id 3", "서브 ID 3", "サブID 3"),
    "s-1-c",
    texts("Third further sub-id", "세 번째 추가 서브 ID", "3つ目の追加サブID"),
  ),
};
