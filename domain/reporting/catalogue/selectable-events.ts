import { categoryOfMetric } from "../../app-events/categories.ts";
import { type Translated, texts } from "../../values/language.ts";
import { countedGroups, customMetrics, touchpointsGroup } from "./catalogue.ts";
import { anyEvent, appEventKeys } from "./event-keys.ts";
import type { FieldGroup, Named } from "./query-metadata.ts";

/** Categories without a metric of their own. */
const uncounted: { readonly [category: string]: readonly [name: Translated, what: Translated] } = {
  app_foreground: [
    texts("Foregrounds", "포그라운드 전환", "フォアグラウンド"),
    texts("returns of the app to the foreground", "앱의 포그라운드 전환", "アプリのフォアグラウンドへの復帰"),
  ],
  app_home_screen: [
    texts("Home screens", "홈 화면", "ホーム画面"),
    texts("views of the home screen", "홈 화면 조회", "ホーム画面の閲覧"),
  ],
  app_product_catalog: [
    texts("Product catalogs", "상품 목록", "商品一覧"),
    texts("views of a list of products", "상품 목록 조회", "商品一覧の閲覧"),
  ],
  app_search_results: [
    texts("Search results", "검색 결과", "検索結果"),
    texts("views of search results", "검색 결과 조회", "検索結果の閲覧"),
  ],
};

const capitalised = ({ en, ...others }: Translated): Translated => {
  return { ...others, en: `${en.charAt(0).toUpperCase()}${en.slice(1)}` };
};

/** Event keys of the events that a metric counts: its category, and the metric's own key if that differs. */
function keysOf(metric: string): readonly string[] {
  const category = categoryOfMetric(metric) ?? metric;
  return [...new Set([category, metric])].filter((key) => key === anyEvent || appEventKeys.includes(key));
}

const eventGroups: readonly FieldGroup<Named>[] = [
  ...countedGroups.map(({ groupName, parentGroupName, events }, index) => ({
    groupName,
    parentGroupName,
    fields: Object.entries({ ...events, ...(index === 0 ? uncounted : {}) }).flatMap(([metric, [name, what]]) =>
      keysOf(metric).map((key) => ({ key, name, description: capitalised(what) })),
    ),
  })),
  {
    groupName: customMetrics.groupName,
    parentGroupName: customMetrics.parentGroupName,
    fields: [
      {
        key: "custom:<name>",
        name: texts("Custom event", "커스텀 이벤트", "カスタムイベント"),
        description: texts("Custom events of that name", "해당 이름의 커스텀 이벤트", "その名前のカスタムイベント"),
      },
    ],
  },
  {
    ...touchpointsGroup,
    fields: [
      {
        key: "impression",
        name: texts("Impression", "노출", "インプレッション"),
        description: texts("Impressions of ads", "광고 노출", "広告のインプレッション"),
      },
      {
        key: "click",
        name: texts("Click", "클릭", "クリック"),
        description: texts("Clicks on tracking links", "트래킹 링크 클릭", "トラッキングリンクのクリック"),
      },
    ],
  },
];

/**
 * The events of a kind of query, by group, each with its uses there.
 * @param useOf null: the query has no such event
 */
export function eventsFor<Use extends object>(useOf: (key: string) => Use | null): readonly FieldGroup<Named & Use>[] {
  return eventGroups
    .map((group) => ({
      ...group,
      fields: group.fields.flatMap((field) => {
        const use = useOf(field.key);
        return use === null ? [] : [{ ...field, ...use }];
      }),
    }))
    .filter(({ fields }) => fields.length > 0);
}
