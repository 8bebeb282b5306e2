import type { Facts, Touchpoint } from "../../projections/reports/facts.ts";
import { lastWeek } from "./report-application.ts";

/** A click of today on a link of a channel. */
export function clickOn(channel: string, campaign: string | null): Touchpoint {
  return {
    appId: 1,
    from: 1,
    date: lastWeek[6] ?? "",
    hour: 0,
    client: { os_name: "Android", country: "KR", device_model: null },
    kind: "click",
    human: true,
    source: {
      channel,
      channel_type: "custom",
      tracking_link_id: 7,
      is_reengagement: "OFF",
      campaign,
      sub_id_1: null,
      sub_publisher: null,
    },
  };
}

/** Three campaigns with 3, 2 and 1 clicks, the last on a channel of its own and without a name. */
export const threeCampaigns: Facts = {
  touchpoints: [
    ...Array.from({ length: 3 }, () => clickOn("partner", "Spring sale")),
    ...Array.from({ length: 2 }, () => clickOn("partner", '=SUM(A1), "quoted"')),
    clickOn("kakao", null),
  ],
  appEvents: [],
};
