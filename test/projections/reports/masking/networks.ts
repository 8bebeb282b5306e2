import type { ReportNotification } from "../../../../domain/report-tasks/events.ts";
import { install, spend, spring } from "../actuals/advertising.ts";
import type { AppEvent, Source, Touchpoint } from "../facts.ts";
import type { Spend } from "../uploads.ts";

/** Two self-attributing networks; both are built in (contract/administration.md#channels). */
export const twitter: Source = { ...spring, channel: "twitter", channel_type: "integrated" };
export const tiktok: Source = { ...twitter, channel: "tiktok" };

/** So many facts that are all the same, but for their devices where they have some. */
export const times = <Fact>(count: number, fact: Fact): readonly Fact[] => Array.from({ length: count }, () => fact);

export const impression: Touchpoint = {
  appId: 1,
  from: 1,
  date: "2026-03-10",
  hour: 9,
  client: install.client,
  kind: "impression",
  human: true,
  source: twitter,
};

export const click: Touchpoint = { ...impression, kind: "click" };

export const ofTwitter: AppEvent = {
  ...install,
  from: 1,
  date: "2026-03-10",
  label: { source: twitter, kind: "click" },
};

/** Uploaded impressions of the network. */
export const impressionsOf = (count: number, more: Partial<Spend> = {}): Spend => ({
  ...spend,
  channel: "twitter",
  date: "2026-03-10",
  from: 1,
  impressions: count,
  ...more,
});

/** What keeps March of the network from being withheld, but for one impression or install less. */
export const enough = {
  impressions: times(1_001, impression),
  installs: times(101, ofTwitter),
};

/** The channel-months that the notification of masking lists: `twitter 2026-03`. */
export function listedMonths({ notifications }: { readonly notifications: readonly ReportNotification[] }): unknown {
  return notifications.find(({ code }) => code === "AGG_DATA_MASKING_BY_PARTNER")?.params?.months;
}
