/** A row of the catalogue as the metadata endpoints tell it. */
export interface FieldText {
  readonly name: string;
  readonly example: string;
  readonly description: string;
}

const text = (name: string, example: string, description: string): FieldText => ({ name, example, description });

const date = {
  event_date: text("Date", "2026-03-31", "Local date"),
  event_year: text("Year", "2026", "Local year"),
  event_month: text("Month", "2026-03", "Local month"),
  event_week: text("Week", "2026-03-30", "Monday of the local ISO week"),
  event_day_of_week: text("Day of the week", "1", "ISO number of the local day of the week: 1 is Monday, 7 Sunday"),
  event_hour: text("Hour", "09", "Local hour of the day, 00 to 23; empty for uploaded data"),
};

const event = {
  event_source: text("Event source", "app", "app, web or tracking_link; of uploaded metrics as uploaded, if at all"),
  event_type: text(
    "Event type",
    "in_app",
    "target (attributed itself), in_app (any other app event), touchpoint or uploaded",
  ),
  event_category: text(
    "Event category",
    "app_install",
    "Category of the app event, custom ones as custom:<name>; click or impression; name of the uploaded metric",
  ),
  event_name: text("Event name", "app_install", "The category, custom ones by their bare name"),
  is_first_event_per_device_id: text(
    "First event per device",
    "true",
    "Whether it is the device's first event of its category",
  ),
  is_first_event_per_user_id: text(
    "First event per user",
    "true",
    "Whether it is the user's first event of its category",
  ),
  currency: text("Currency", "USD", "ISO 4217 code of the event's value, or of the uploaded amount"),
};

const channel = {
  channel: text(
    "Channel",
    "google.adwords",
    "Channel of the touchpoint or of the uploaded row, or the one that an app event is attributed to; else unattributed",
  ),
  channel_type: text("Channel type", "integrated", "integrated or custom"),
};

const campaign = {
  campaign: text("Campaign", "spring_sale", "Campaign"),
  campaign_id: text("Campaign id", "c-1", "Campaign id"),
  ad_group: text("Ad group", "newcomers", "Ad group"),
  ad_group_id: text("Ad group id", "g-1", "Ad group id"),
  ad_creative: text("Ad creative", "video_15s", "Ad creative"),
  ad_creative_id: text("Ad creative id", "v-1", "Ad creative id"),
  content: text("Content", "banner", "Content"),
  term: text("Term", "shoes", "Term"),
  term_id: text("Term id", "t-1", "Term id"),
};

const publisher = {
  sub_publisher: text("Sub-publisher", "news_site", "Sub-publisher"),
  sub_sub_publisher_1: text("Sub-sub-publisher 1", "sports", "First level below the sub-publisher"),
  sub_sub_publisher_2: text("Sub-sub-publisher 2", "football", "Second level below the sub-publisher"),
  sub_sub_publisher_3: text("Sub-sub-publisher 3", "article", "Third level below the sub-publisher"),
};

const link = {
  tracking_link_id: text("Tracking link id", "4503599627370496", "Id of the tracking link"),
  touchpoint_type: text(
    "Touchpoint type",
    "click",
    "click or impression: the touchpoint itself, or the one that an app event is attributed to",
  ),
  is_reengagement: text(
    "Re-engagement",
    "false",
    "true for links made for re-engagement (ON-TRUE), else false, as the link's detail says",
  ),
  sub_id: text("Sub-id", "s-1", "Sub-id"),
  sub_id_1: text("Sub-id 1", "s-1-a", "First further sub-id"),
  sub_id_2: text("Sub-id 2", "s-1-b", "Second further sub-id"),
  sub_id_3: text("Sub-id 3", "s-1-c", "Third further sub-id"),
};

const device = {
  os_name: text("Operating system", "Android", "Android, iOS or Web"),
  os_version: text("Version of the operating system", "16.1", "Version of the operating system"),
  app_version: text("App version", "3.2.0", "Version of the app"),
  country: text("Country", "KR", "ISO 3166 code, upper case"),
  language: text("Language", "ko", "Language of the device"),
  device_model: text("Device model", "Pixel 9", "Device model"),
  device_manufacturer: text("Device manufacturer", "Google", "Device manufacturer"),
  device_type: text("Device type", "phone", "Device type"),
};

/** What reports can be grouped, filtered and sorted by (D7.3), and what each value says. Missing values are null. */
export const groupBys = { ...date, ...event, ...channel, ...campaign, ...publisher, ...link, ...device };

/** The groups that they are told in, and the groups that those stand in. */
export const groupByGroups = [
  { groupName: "Date", parentGroupName: null, fields: date },
  { groupName: "Event", parentGroupName: null, fields: event },
  { groupName: "Channel", parentGroupName: null, fields: channel },
  { groupName: "Campaign", parentGroupName: "Channel", fields: campaign },
  { groupName: "Publisher", parentGroupName: "Channel", fields: publisher },
  { groupName: "Tracking link", parentGroupName: "Channel", fields: link },
  { groupName: "Device", parentGroupName: null, fields: device },
] as const;

export type GroupByKey = keyof typeof groupBys;

export function isGroupByKey(key: string): key is GroupByKey {
  return Object.hasOwn(groupBys, key);
}
