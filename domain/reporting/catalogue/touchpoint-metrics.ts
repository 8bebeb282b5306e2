import { texts } from "../../values/language.ts";
import { type Rows, ratio, row } from "./catalogue-row.ts";

const impressions = { kind: "touchpoints", of: ["impression"] } as const;
const clicks = { kind: "touchpoints", of: ["click"] } as const;

/** Metrics of impressions and clicks (contract/reports.md#metrics). */
export const touchpoints: Rows = {
  impressions: row(
    texts("Impressions", "노출", "インプレッション"),
    texts("Human impressions", "봇을 제외한 노출 수", "ボットを除いたインプレッション数"),
    impressions,
  ),
  clicks: row(
    texts("Clicks", "클릭", "クリック"),
    texts("Human clicks", "봇을 제외한 클릭 수", "ボットを除いたクリック数"),
    clicks,
  ),
  touchpoints_impression_click: row(
    texts("Impressions and clicks", "노출 및 클릭", "インプレッションとクリック"),
    texts(
      "Human impressions and clicks",
      "봇을 제외한 노출 및 클릭 수",
      "ボットを除いたインプレッションとクリックの数",
    ),
    { kind: "touchpoints", of: ["impression", "click"] },
  ),
  ctr: row(
    texts("CTR", "CTR", "CTR"),
    texts(
      "Clicks per impression: 0.01 is one click in a hundred",
      "노출 대비 클릭 비율: 0.01은 노출 100회당 클릭 1회입니다",
      "インプレッションに対するクリックの割合: 0.01はインプレッション100回につきクリック1回です",
    ),
    ratio(clicks, impressions, 1),
  ),
};
