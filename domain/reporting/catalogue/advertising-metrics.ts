import { texts } from "../../values/language.ts";
import { revenue } from "./event-metrics.ts";
import { type CatalogueMetrics, catalogueMetric, ratio } from "./metric.ts";

const impressions = { kind: "touchpoints", of: ["impression"] } as const;
const clicks = { kind: "touchpoints", of: ["click"] } as const;

/** Metrics of impressions and clicks (contract/reports.md#metrics). */
export const touchpoints: CatalogueMetrics = {
  impressions: catalogueMetric(
    texts("Impressions", "노출", "インプレッション"),
    texts("Human impressions", "봇을 제외한 노출 수", "ボットを除いたインプレッション数"),
    impressions,
  ),
  clicks: catalogueMetric(
    texts("Clicks", "클릭", "クリック"),
    texts("Human clicks", "봇을 제외한 클릭 수", "ボットを除いたクリック数"),
    clicks,
  ),
  touchpoints_impression_click: catalogueMetric(
    texts("Impressions and clicks", "노출 및 클릭", "インプレッションとクリック"),
    texts(
      "Human impressions and clicks",
      "봇을 제외한 노출 및 클릭 수",
      "ボットを除いたインプレッションとクリックの数",
    ),
    { kind: "touchpoints", of: ["impression", "click"] },
  ),
  ctr: catalogueMetric(
    texts("CTR", "CTR", "CTR"),
    texts(
      "Clicks per impression: 0.01 is one click in a hundred",
      "노출 대비 클릭 비율: 0.01은 노출 100회당 클릭 1회입니다",
      "インプレッションに対するクリックの割合: 0.01はインプレッション100回につきクリック1回です",
    ),
    ratio(clicks, impressions, 1),
  ),
};

const installs = { kind: "events", of: { categories: ["app_install"] } } as const;
const uploadedImpressions = { kind: "spend", of: "impressions" } as const;
const uploadedClicks = { kind: "spend", of: "clicks" } as const;
const cost = { kind: "cost" } as const;

/** Metrics of uploaded ad spend, next to measured ones (contract/reports.md#metrics). */
export const spend: CatalogueMetrics = {
  impressions_channel: catalogueMetric(
    texts("Uploaded impressions", "업로드된 노출", "アップロードされたインプレッション"),
    texts(
      "Impressions of uploaded ad spend",
      "업로드된 광고비 데이터의 노출 수",
      "アップロードされた広告費データのインプレッション数",
    ),
    uploadedImpressions,
  ),
  clicks_channel: catalogueMetric(
    texts("Uploaded clicks", "업로드된 클릭", "アップロードされたクリック"),
    texts(
      "Clicks of uploaded ad spend",
      "업로드된 광고비 데이터의 클릭 수",
      "アップロードされた広告費データのクリック数",
    ),
    uploadedClicks,
  ),
  cost_channel: catalogueMetric(
    texts("Cost", "비용", "コスト"),
    texts(
      "Cost of uploaded ad spend, in the app's currency",
      "업로드된 광고비 데이터의 비용(앱의 통화 기준)",
      "アップロードされた広告費データのコスト(アプリの通貨)",
    ),
    cost,
  ),
  cpi: catalogueMetric(
    texts("CPI", "CPI", "CPI"),
    texts(
      "Cost per install, in the app's currency",
      "설치당 비용(앱의 통화 기준)",
      "インストールあたりのコスト(アプリの通貨)",
    ),
    ratio(cost, installs, 1),
  ),
  cpc: catalogueMetric(
    texts("CPC", "CPC", "CPC"),
    texts(
      "Cost per uploaded click, in the app's currency",
      "업로드된 클릭당 비용(앱의 통화 기준)",
      "アップロードされたクリックあたりのコスト(アプリの通貨)",
    ),
    ratio(cost, uploadedClicks, 1),
  ),
  cpm: catalogueMetric(
    texts("CPM", "CPM", "CPM"),
    texts(
      "Cost of a thousand uploaded impressions, in the app's currency",
      "업로드된 노출 1,000회당 비용(앱의 통화 기준)",
      "アップロードされたインプレッション1,000回あたりのコスト(アプリの通貨)",
    ),
    ratio(cost, uploadedImpressions, 1000),
  ),
  roas: catalogueMetric(
    texts("ROAS", "ROAS", "ROAS"),
    texts(
      "Net revenue in percent of the cost: 100 is break-even; app_roas of the revenue report by cohort is gross of cancellations",
      "비용 대비 순매출의 백분율: 100이 손익분기점입니다. 코호트별 매출 리포트의 app_roas는 취소를 빼지 않은 총매출 기준입니다",
      "コストに対する純収益の割合(%): 100が損益分岐点です。コホート別の収益レポートのapp_roasはキャンセルを差し引かない総額です",
    ),
    ratio(revenue, cost, 100),
  ),
};
