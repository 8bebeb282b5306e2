import { DateTime } from "luxon";
import { builtInChannel } from "../../../../domain/channels/built-in.ts";
import type { Facts } from "../facts.ts";
import { isInForce } from "../reference-rules.ts";
import { noUploads } from "../uploads.ts";
import { type ReferenceQuestion, reportTime } from "./reference.ts";
import { type Fact, groupValueOf } from "./reference-values.ts";

/** Which facts a report at a position leaves out (contract/reports.md#masking), read plainly: each fact by itself. */
export function withholding(
  facts: Facts,
  { appId, position, now = reportTime.now }: ReferenceQuestion,
): (fact: Fact) => boolean {
  const today = DateTime.fromJSDate(now, { zone: reportTime.timezone }).startOf("day");
  const isThere = (fact: Parameters<typeof isInForce>[0]): boolean => isInForce(fact, position);
  const isSelfAttributing = (channel: string): boolean => {
    const flagged = (facts.channelFlags ?? []).find((flag) => flag.channel === channel && isThere(flag));
    return flagged?.selfAttributing ?? builtInChannel(channel)?.selfAttributing ?? false;
  };
  const isSmall = (channel: string, month: string): boolean => {
    const impressions = facts.touchpoints.filter(
      ({ appId: app, human, kind, source, date, from }) =>
        app === appId &&
        human &&
        kind === "impression" &&
        source.channel === channel &&
        date.startsWith(month) &&
        from <= position,
    );
    const uploaded = (facts.uploads ?? noUploads).spend
      .filter((row) => row.appId === appId && row.channel === channel && row.date.startsWith(month) && isThere(row))
      .reduce((sum, row) => sum + row.impressions, 0);
    const installs = facts.appEvents.filter(
      (event) =>
        event.appId === appId &&
        event.category === "app_install" &&
        event.label?.source.channel === channel &&
        event.date.startsWith(month) &&
        isThere(event),
    );
    return impressions.length + uploaded <= 1_000 || installs.length <= 100;
  };
  return (fact) => {
    if (fact.is === "spend" || fact.is === "uploaded") return false;
    const channel = groupValueOf(fact, "channel") ?? "";
    if (!isSelfAttributing(channel)) return false;
    const day = DateTime.fromISO(fact.of.date, { zone: reportTime.timezone });
    return today.diff(day, "days").days > 175 || isSmall(channel, fact.of.date.slice(0, 7));
  };
}
