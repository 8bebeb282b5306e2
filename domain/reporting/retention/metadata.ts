import { texts } from "../../values/language.ts";
import type { QueryMetadata } from "../catalogue/query-metadata.ts";
import { cohortLimits, cohortMetadata } from "../cohort-metadata.ts";
import { startCategories } from "../return-events.ts";
import { measurementOptions, startUsers } from "./query.ts";

const group = { groupName: texts("Devices", "기기", "デバイス"), parentGroupName: null };

/** The metadata of retention reports (contract/reports.md#metadata). */
export const retentionMetadata: QueryMetadata = {
  path: "retention-report",
  ...cohortMetadata(Object.keys(startCategories)),
  metrics: [
    {
      ...group,
      fields: [
        {
          key: startUsers,
          name: texts("Started", "시작한 기기", "開始したデバイス"),
          description: texts(
            "Number of distinct devices with a start event",
            "시작 이벤트가 있는 고유 기기 수",
            "開始イベントがあったデバイスのユニーク数",
          ),
          serveToSort: true,
          measurementOptions: [],
        },
        {
          key: "value",
          name: texts("Came back", "돌아온 기기", "戻ってきたデバイス"),
          description: texts(
            "Number of distinct devices with a return event in the interval",
            "해당 구간에 리턴 이벤트가 있는 고유 기기 수",
            "その区間にリターンイベントがあったデバイスのユニーク数",
          ),
          serveToSort: false,
          measurementOptions,
        },
        {
          key: "rate",
          name: texts("Retention rate", "리텐션 비율", "リテンション率"),
          description: texts(
            "Devices that came back per device that started: 0.4 is 40 in a hundred",
            "시작한 기기 대비 돌아온 기기의 비율: 0.4는 100대 중 40대입니다",
            "開始したデバイスに対する戻ってきたデバイスの割合: 0.4は100台中40台です",
          ),
          serveToSort: false,
          measurementOptions,
        },
      ],
    },
  ],
  limits: cohortLimits,
};
