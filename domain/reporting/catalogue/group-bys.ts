import { texts } from "../../values/language.ts";
import { date, device, event } from "./event-group-bys.ts";
import { campaign, channel, link, publisher } from "./source-group-bys.ts";

/**
 * What reports can be grouped, filtered and sorted by (contract/reports.md#group-bys).
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
