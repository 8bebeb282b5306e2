import { isCustomEventName } from "../../app-events/categories.ts";
import { type Translated, texts } from "../../values/language.ts";
import { spend, touchpoints } from "./advertising-metrics.ts";
import {
  appEvents,
  countedAppEvents,
  countedDeeplinks,
  countedInstalls,
  countedOrders,
  deeplinks,
  installEvents,
  orders,
} from "./event-metrics.ts";
import type { CatalogueMetric, CatalogueMetrics, Metric } from "./metric.ts";

/** The group of uploaded metrics, those with a name of their own first (contract/reports.md#metrics). */
export const selfServeGroup = texts("Self-serve", "셀프서브", "セルフサーブ");
const appEventsGroup = texts("App events", "앱 이벤트", "アプリイベント");

interface MetricGroup {
  readonly groupName: Translated;
  readonly parentGroupName: Translated | null;
  readonly fields: { readonly [key: string]: Pick<CatalogueMetric, "name" | "description"> };
}

export const touchpointsGroup = {
  groupName: texts("Touchpoints", "터치포인트", "タッチポイント"),
  parentGroupName: null,
};
const anyEventsGroup = { groupName: appEventsGroup, parentGroupName: null };
const installsGroup = { groupName: texts("Installs", "설치", "インストール"), parentGroupName: appEventsGroup };
const deeplinksGroup = { groupName: texts("Deeplinks", "딥링크", "ディープリンク"), parentGroupName: appEventsGroup };
const ordersGroup = {
  groupName: texts("Orders and revenue", "주문 및 매출", "注文と収益"),
  parentGroupName: appEventsGroup,
};

/** Metrics by group, each with its parent group. */
export const metricGroups = [
  { ...touchpointsGroup, fields: touchpoints },
  { ...anyEventsGroup, fields: appEvents },
  { ...installsGroup, fields: installEvents },
  { ...deeplinksGroup, fields: deeplinks },
  { ...ordersGroup, fields: orders },
  { groupName: selfServeGroup, parentGroupName: null, fields: spend },
] as const satisfies readonly MetricGroup[];

/** App events by the same groups, under the metrics that count them. */
export const countedGroups = [
  { ...anyEventsGroup, events: countedAppEvents },
  { ...installsGroup, events: countedInstalls },
  { ...deeplinksGroup, events: countedDeeplinks },
  { ...ordersGroup, events: countedOrders },
] as const;

/** Metrics whose key contains the name of a custom event. */
export const customMetrics: MetricGroup = {
  groupName: texts("Custom events", "커스텀 이벤트", "カスタムイベント"),
  parentGroupName: appEventsGroup,
  fields: {
    "custom:<name>": {
      name: texts("Custom events", "커스텀 이벤트", "カスタムイベント"),
      description: texts(
        "Number of custom events of that name",
        "해당 이름의 커스텀 이벤트 수",
        "その名前のカスタムイベントの数",
      ),
    },
    "custom_users:<name>": {
      name: texts("Custom events: devices", "커스텀 이벤트: 기기", "カスタムイベント: デバイス"),
      description: texts(
        "Number of distinct devices with custom events of that name",
        "해당 이름의 커스텀 이벤트 기준 고유 기기 수",
        "その名前のカスタムイベントがあったデバイスのユニーク数",
      ),
    },
  },
};

/** Metrics with a name of their own (contract/reports.md#metrics). */
export const metrics: CatalogueMetrics = Object.assign({}, ...metricGroups.map(({ fields }) => fields));

const customMetric = /^custom(?<users>_users)?:(?<name>.*)$/su;

/**
 * The metric of a key, `custom:<name>` and `custom_users:<name>` included; null: there is none.
 */
export function metricOf(key: string): Metric | null {
  if (Object.hasOwn(metrics, key)) return metrics[key]?.metric ?? null;
  const { users, name } = customMetric.exec(key)?.groups ?? {};
  if (name === undefined || !isCustomEventName(name)) return null;
  return { kind: users === undefined ? "events" : "devices", of: { categories: [`custom:${name}`] } };
}

/**
 * The metric of a key of a validated query: a key that is not in the catalogue is an uploaded metric, which may have
 * been archived since.
 */
export function requestedMetric(key: string): Metric {
  return metricOf(key) ?? { kind: "uploaded", category: key };
}
