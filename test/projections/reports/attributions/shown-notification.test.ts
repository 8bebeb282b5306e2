import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ShownWinner } from "../../../../projections/reports/attributions/shown-attribution.ts";
import { shownNotification } from "../../../../projections/reports/attributions/shown-notification.ts";
import type { ChannelMonths } from "../../../../projections/reports/masking/restricted-touchpoints.ts";
import { springSale } from "../../../examples/touchpoints.ts";

const winner = (channel: string, at = "2026-03-31T14:00:00.000Z") => ({
  ...({ touchpointId: "a", kind: "click", at, matchedBy: "click_id" } as const),
  source: { ...springSale, channel },
});
const restricted: ShownWinner = {
  ...{ touchpointId: null, kind: null, at: null, matchedBy: null },
  source: {
    ...{ channel: "restricted", channelType: null, trackingLinkId: null, isReengagement: null },
    ...{ campaignParams: null, publisher: null },
  },
};
/** `network` is a self-attributing one; its months are small except March. */
const months: ChannelMonths = {
  isSelfAttributing: async (channel) => channel === "network",
  isSmallMonth: async (_appId, _channel, month) => month !== "2026-03",
};
const app = { appId: 1, timezone: "Asia/Seoul", now: new Date("2026-04-02T00:00:00.000Z") };
const event = { eventId: "e", deviceKey: "d" };
const shown = (decided: Parameters<typeof shownNotification>[2], now = app.now) =>
  shownNotification(months, { ...app, now }, { ...event, ...decided });

const masking = suite("a decision in a webhook's notification");

masking("is complete when no data are withheld", async () => {
  for (const one of [winner("partner"), winner("network"), null]) {
    const decided = { at: "2026-03-31T14:59:59.000Z", winner: one };
    assert.equal(await shown(decided), { ...event, ...decided });
  }
});

masking("hides a touchpoint in a small month, by its own date or by that of the event", async () => {
  const at = "2026-03-31T15:00:00.000Z";
  assert.equal(await shown({ at, winner: winner("network") }), { ...event, at, winner: restricted });
  const march = "2026-03-01T00:00:00.000Z";
  const early = winner("network", "2026-02-28T14:00:00.000Z");
  assert.equal(await shown({ at: march, winner: early }), { ...event, at: march, winner: restricted });
});

masking("hides one that is more than 175 days old", async () => {
  const at = "2026-03-31T14:00:00.000Z";
  const decided = { at, winner: winner("network") };
  assert.equal(await shown(decided, new Date("2026-09-22T00:00:00.000Z")), { ...event, ...decided });
  assert.equal(await shown(decided, new Date("2026-09-23T00:00:00.000Z")), { ...event, at, winner: restricted });
});

masking("masks the former winner of a revision likewise", async () => {
  const at = "2026-04-01T00:00:00.000Z";
  const [former, latest] = [winner("network"), winner("partner")];
  const masked = { ...event, at, winner: latest, formerWinner: restricted };
  assert.equal(await shown({ at, winner: latest, formerWinner: former }), masked);
  assert.equal(await shown({ at, winner: latest, formerWinner: null }), { ...masked, formerWinner: null });
});

masking("leaves a masked winner as it is", async () => {
  const decided = { at: "2026-04-01T00:00:00.000Z", winner: restricted, formerWinner: restricted };
  assert.equal(await shown(decided), { ...event, ...decided });
});

masking.run();
