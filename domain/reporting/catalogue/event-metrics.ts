import { type Translated, texts } from "../../values/language.ts";
import { type CatalogueMetrics, catalogueMetric, type EventSelection } from "./metric.ts";
import { revenueCategories } from "./report-constants.ts";

/** Revenue of orders and subscriptions (contract/reports.md#metrics). */
export const revenue = {
  kind: "money",
  adds: { categories: revenueCategories.adds },
  subtracts: revenueCategories.subtracts,
} as const;

/** App events by the metric that counts them: their name, description, and selection. */
export type CountedEvents = { readonly [key: string]: readonly [Translated, Translated, EventSelection] };

/** Counts of app events by name and selection, each also as distinct devices, under `<key>_users`. */
function counted(events: CountedEvents): CatalogueMetrics {
  return Object.fromEntries(
    Object.entries(events).flatMap(([key, [name, what, of]]) => [
      [key, catalogueMetric(name, numberOf(what), { kind: "events", of })],
      [`${key}_users`, catalogueMetric(devices(name), devicesWith(what), { kind: "devices", of })],
    ]),
  );
}

const numberOf = ({ en, ko, ja }: Translated) => texts(`Number of ${en}`, `${ko} 수`, `${ja}の数`);
const devices = ({ en, ko, ja }: Translated) => texts(`${en}: devices`, `${ko}: 기기`, `${ja}: デバイス`);
const devicesWith = ({ en, ko, ja }: Translated) =>
  texts(`Number of distinct devices with ${en}`, `${ko} 기준 고유 기기 수`, `${ja}があったデバイスのユニーク数`);

const of = (category: string, more: EventSelection = {}): EventSelection => ({ categories: [category], ...more });

/** App events without a group of their own. */
export const countedAppEvents = {
  app_events: [
    texts("App events", "앱 이벤트", "アプリイベント"),
    texts("app events of every category", "모든 카테고리의 앱 이벤트", "すべてのカテゴリのアプリイベント"),
    {},
  ],
  app_attributed_events: [
    texts("Attributed app events", "어트리뷰션된 앱 이벤트", "アトリビューションされたアプリイベント"),
    texts(
      "app events attributed to a touchpoint",
      "터치포인트에 어트리뷰션된 앱 이벤트",
      "タッチポイントにアトリビューションされたアプリイベント",
    ),
    { attributed: true },
  ],
  app_opens: [
    texts("Opens", "앱 실행", "アプリ起動"),
    texts("opens of the app", "앱 실행", "アプリ起動"),
    of("app_open"),
  ],
  app_sign_up: [
    texts("Sign-ups", "회원가입", "会員登録"),
    texts("sign-ups", "회원가입", "会員登録"),
    of("app_sign_up"),
  ],
  app_sign_in: [texts("Sign-ins", "로그인", "ログイン"), texts("sign-ins", "로그인", "ログイン"), of("app_sign_in")],
  app_sign_out: [
    texts("Sign-outs", "로그아웃", "ログアウト"),
    texts("sign-outs", "로그아웃", "ログアウト"),
    of("app_sign_out"),
  ],
  app_product_view: [
    texts("Product views", "상품 조회", "商品閲覧"),
    texts("views of a product", "상품 조회", "商品閲覧"),
    of("app_product_view"),
  ],
  app_add_to_cart: [
    texts("Additions to the cart", "장바구니 담기", "カートへの追加"),
    texts("additions to the cart", "장바구니 담기", "カートへの追加"),
    of("app_add_to_cart"),
  ],
  app_ad_impression: [
    texts("In-app ad impressions", "인앱 광고 노출", "アプリ内広告のインプレッション"),
    texts("impressions of ads in the app", "앱 내 광고 노출", "アプリ内広告のインプレッション"),
    of("app_ad_impression"),
  ],
  app_ad_click: [
    texts("In-app ad clicks", "인앱 광고 클릭", "アプリ内広告のクリック"),
    texts("clicks on ads in the app", "앱 내 광고 클릭", "アプリ内広告のクリック"),
    of("app_ad_click"),
  ],
} as const satisfies CountedEvents;

/** Metrics of app events without a group of their own (contract/reports.md#metrics). */
export const appEvents = {
  ...counted(countedAppEvents),
  app_event_value: catalogueMetric(
    texts("Value of app events", "앱 이벤트 금액", "アプリイベントの金額"),
    texts(
      "Values of all app events, in the app's currency",
      "모든 앱 이벤트의 금액 합계(앱의 통화 기준)",
      "すべてのアプリイベントの金額の合計(アプリの通貨)",
    ),
    { kind: "money", adds: {}, subtracts: [] },
  ),
};

/** Installs, and events that reverse them. */
export const countedInstalls = {
  app_installs: [
    texts("Installs", "설치", "インストール"),
    texts("installs", "설치", "インストール"),
    of("app_install"),
  ],
  app_first_installs: [
    texts("First installs", "최초 설치", "初回インストール"),
    texts("first installs of a device", "기기별 최초 설치", "デバイスごとの初回インストール"),
    of("app_install", { first: true }),
  ],
  app_re_installs: [
    texts("Re-installs", "재설치", "再インストール"),
    texts(
      "installs of a device that had one before",
      "이전에 설치한 적이 있는 기기의 설치",
      "以前にインストールしたことのあるデバイスでのインストール",
    ),
    of("app_install", { first: false }),
  ],
  app_attributed_installs: [
    texts("Attributed installs", "어트리뷰션된 설치", "アトリビューションされたインストール"),
    texts(
      "installs attributed to a touchpoint",
      "터치포인트에 어트리뷰션된 설치",
      "タッチポイントにアトリビューションされたインストール",
    ),
    of("app_install", { attributed: true }),
  ],
  app_unattributed_installs: [
    texts("Unattributed installs", "어트리뷰션되지 않은 설치", "アトリビューションされていないインストール"),
    texts(
      "installs attributed to no touchpoint",
      "어떤 터치포인트에도 어트리뷰션되지 않은 설치",
      "どのタッチポイントにもアトリビューションされていないインストール",
    ),
    of("app_install", { attributed: false }),
  ],
  app_uninstall: [
    texts("Uninstalls", "앱 삭제", "アンインストール"),
    texts("uninstalls", "앱 삭제", "アンインストール"),
    of("app_uninstall"),
  ],
} as const satisfies CountedEvents;

/** Metrics of installs (contract/reports.md#metrics). */
export const installEvents = counted(countedInstalls);

/** Deeplink opens and pageviews. */
export const countedDeeplinks = {
  app_deeplink_opens: [
    texts("Deeplink opens", "딥링크 오픈", "ディープリンクオープン"),
    texts("opens of the app by a deeplink", "딥링크를 통한 앱 실행", "ディープリンクによるアプリ起動"),
    of("app_deeplink_open"),
  ],
  app_deeplink_pageviews: [
    texts("Deeplink pageviews", "딥링크 페이지뷰", "ディープリンクページビュー"),
    texts("views of a page by a deeplink", "딥링크를 통한 페이지 조회", "ディープリンクによるページ閲覧"),
    of("app_deeplink_pageview"),
  ],
} as const satisfies CountedEvents;

/** Metrics of deeplinks (contract/reports.md#metrics). */
export const deeplinks = counted(countedDeeplinks);

/** Orders and subscriptions. */
export const countedOrders = {
  app_order_complete: [
    texts("Orders", "주문", "注文"),
    texts("completed orders", "완료된 주문", "完了した注文"),
    of("app_order_complete"),
  ],
  app_first_order_complete: [
    texts("First orders", "첫 주문", "初回注文"),
    texts("first orders of a device", "기기별 첫 주문", "デバイスごとの初回注文"),
    of("app_order_complete", { first: true }),
  ],
  app_order_cancel: [
    texts("Cancelled orders", "주문 취소", "注文キャンセル"),
    texts("cancelled orders", "취소된 주문", "キャンセルされた注文"),
    of("app_order_cancel"),
  ],
  app_subscribe: [
    texts("Subscriptions", "구독", "サブスクリプション"),
    texts("subscriptions", "구독", "サブスクリプション"),
    of("app_subscribe"),
  ],
} as const satisfies CountedEvents;

/** Metrics of orders and subscriptions (contract/reports.md#metrics). */
export const orders = {
  ...counted(countedOrders),
  app_revenue: catalogueMetric(
    texts("Revenue", "매출", "収益"),
    texts(
      "Net revenue: values of completed orders and subscriptions minus those of cancelled orders, in the app's currency; the revenue report by cohort is gross of cancellations",
      "순매출: 완료된 주문과 구독의 금액에서 취소된 주문의 금액을 뺀 값(앱의 통화 기준). 코호트별 매출 리포트는 취소를 빼지 않은 총매출입니다",
      "純収益: 完了した注文とサブスクリプションの金額から、キャンセルされた注文の金額を差し引いた値(アプリの通貨)。コホート別の収益レポートはキャンセルを差し引かない総額です",
    ),
    revenue,
  ),
};
