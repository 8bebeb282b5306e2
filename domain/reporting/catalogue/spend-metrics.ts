import { texts } from "../../values/language.ts";
import { type Rows, ratio, row } from "./catalogue-row.ts";
import { revenue } from "./event-metrics.ts";

const installs = { kind: "events", of: { categories: ["app_install"] } } as const;
const uploadedImpressions = { kind: "spend", of: "impressions" } as const;
const uploadedClicks = { kind: "spend", of: "clicks" } as const;
const cost = { kind: "cost" } as const;

/** Metrics of uploaded ad spend, beside what was measured (contract/reports.md#metrics). */
export const spend: Rows = {
  impressions_channel: row(
    texts("Uploaded impressions", "업로드된 노출", "アップロードされたインプレッション"),
    texts(
      "Impressions of uploaded ad spend",
      "업로드된 광고비 데이터의 노출 수",
      "アップロードされた広告費データのインプレッション数",
    ),
    uploadedImpressions,
  ),
  clicks_channel: row(
    texts("Uploaded clicks", "업로드된 클릭", "アップロードされたクリック"),
    texts(
      "Clicks of uploaded ad spend",
      "업로드된 광고비 데이터의 클릭 수",
      "アップロードされた広告費データのクリック数",
    ),
    uploadedClicks,
  ),
  cost_channel: row(
    texts("Cost", "비용", "コスト"),
    texts(
      "Cost of uploaded ad spend, in the app's currency",
      "업로드된 광고비 데이터의 비용(앱의 통화 기준)",
      "アップロードされた広告費データのコスト(アプリの通貨)",
    ),
    cost,
  ),
  cpi: row(
    texts("CPI", "CPI", "CPI"),
    texts(
      "Cost per install, in the app's currency",
      "설치당 비용(앱의 통화 기준)",
      "インストールあたりのコスト(アプリの通貨)",
    ),
    ratio(cost, installs, 1),
  ),
  cpc: row(
    texts("CPC", "CPC", "CPC"),
    texts(
      "Cost per uploaded click, in the app's currency",
      "업로드된 클릭당 비용(앱의 통화 기준)",
      "アップロードされたクリックあたりのコスト(アプリの通貨)",
    ),
    ratio(cost, uploadedClicks, 1),
  ),
  cpm: row(
    texts("CPM", "CPM", "CPM"),
    texts(
      "Cost of a thousand uploaded impressions, in the app's currency",
      "업로드된 노출 1,000회당 비용(앱의 통화 기준)",
      "アップロードされたインプレッション1,000回あたりのコスト(アプリの通貨)",
    ),
    ratio(cost, uploadedImpressions, 1000),
  ),
  roas: row(
    texts("ROAS", "ROAS", "ROAS"),
    texts(
      "Revenue in percent of the cost: 100 is break-even",
      "비용 대비 매출의 백분율: 100이 손익분기점입니다",
      "コストに対する収益の割合(%): 100が損益分岐点です",
    ),
    ratio(revenue, cost, 100),
  ),
};
