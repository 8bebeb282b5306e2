import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { deviceKey } from "../../../commands/derived-ids.ts";
import { openedLinks } from "../../../commands/link-serving/opened-links.ts";
import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import type { ClickRecorded } from "../../../domain/touchpoints/events.ts";
import type { LiveLink } from "../../../domain/tracking-links/tracking-link.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { shop } from "../../examples/app.ts";
import { aLink } from "../../examples/tracking-links.ts";
import { appEventIngest, bulkIngestClient, startIngest } from "../../support/ingest.ts";

const path = `/events/v1/apps/${shop.name}/app-events`;
const link: LiveLink = aLink().data;
let isUnavailable = false;
const findForIngest = (linkId: number) => {
  if (isUnavailable) throw new EventLogUnavailable("down");
  return linkId === link.linkId ? { link, revision: 0n } : null;
};
const finder = openedLinks({ findForIngest }, "https://go.example/l");
const application = await startIngest((journals) => appEventIngest(journals, { openedLinks: finder }));
const { send, ingest } = bulkIngestClient(application, path, "events");

const long = `https://go.example/l/@shop/${encodeURIComponent(link.channel)}?tracking_template_id=${link.templateId}`;
const short = `https://go.example/l/${link.shortId}`;

const opened = (deeplinkUrl: string, changes: object = {}) => ({
  ...{ eventId: randomUUID(), eventTimestamp: Date.now(), category: "app_deeplink_open" },
  ...{ device: { id: "phone", os: "iOS", osVersion: "18.1", ip: "203.0.113.7" }, referrer: { deeplinkUrl } },
  ...changes,
});

/** What the log has of one event sent: its click id, and the clicks before it. */
async function stored(event: ReturnType<typeof opened>) {
  const before = (await application.facts()).length;
  await ingest([event]);
  const [last, ...clicks] = (await application.facts()).slice(before).reverse();
  return { open: (last as AppEventRecorded).data, clicks: clicks.map((click) => (click as ClickRecorded).data) };
}

const opens = suite("deeplink opens that name a link");
opens.after(() => application.close());

opens("are clicks of it, by its short and long address, in the log before them", async () => {
  for (const address of [short, long, short.replace("https", "http"), `${short}?utm=1#top`]) {
    const event = opened(address);
    const { open, clicks } = await stored(event);
    assert.equal(clicks, [
      {
        touchpointId: open.clickId,
        appId: shop.appId,
        at: new Date(event.eventTimestamp).toISOString(),
        origin: "deeplink_open",
        source: {
          ...{ channel: link.channel, channelType: link.channelType, trackingLinkId: link.linkId, publisher: {} },
          ...{ isReengagement: link.isReengagement, campaignParams: link.campaignParams },
        },
        verdict: { human: true },
        destination: null,
        deviceKey: deviceKey(shop.salt, "phone"),
        ...{ os: "iOS", osVersion: "18.1", person: { deviceId: "phone", ip: "203.0.113.7" } },
      },
    ]);
  }
});

opens("have the parameters of the address, and of the event the device alone", async () => {
  const deeplinkUrl = `${long}&campaign=mine&sub_publisher=site&click_id=p-1&device_id=other`;
  const referrer = { deeplinkUrl, installReferrer: "utm_source=partner" };
  const user = { externalUserId: "user", partnerDeviceId: "partner's phone" };
  const { clicks } = await stored(opened(deeplinkUrl, { referrer, user }));
  const [{ source, person } = { source: null, person: null }] = clicks;
  assert.equal(
    [source?.campaignParams.campaign, source?.publisher, person],
    ["mine", { subPublisher: "site" }, { deviceId: "phone", ip: "203.0.113.7", partnerClickId: "p-1" }],
  );
});

opens("are clicks of the link also when they come with the referrer of the install", async () => {
  const referrer = { deeplinkUrl: short, installReferrer: `tl_click_id=${randomUUID()}` };
  const { open, clicks } = await stored(opened(short, { referrer }));
  assert.equal([clicks.map(({ touchpointId }) => touchpointId)], [[open.clickId]]);
});

opens("are one click, however often they are sent", async () => {
  const event = opened(short);
  const { open } = await stored(event);
  const again = await startIngest(
    (journals) => appEventIngest(journals, { openedLinks: finder }),
    {},
    { log: application.log },
  );
  try {
    await bulkIngestClient(again, path, "events").ingest([event, event]);
  } finally {
    await again.close();
  }
  const clicks = (await application.facts()).filter(({ type }) => type === "ClickRecorded") as readonly ClickRecorded[];
  const ids = clicks.map(({ data }) => data.touchpointId).filter((id) => id === open.clickId);
  assert.equal(new Set(ids).size, 1);
});

opens("are none with a click id, at another address, of another app or of another category", async () => {
  const clickId = randomUUID();
  const named = await stored(opened(`${short}?tl_click_id=${clickId}`));
  assert.equal([named.open.clickId, named.clicks], [clickId, []]);
  const others = [
    ...["https://other.example/l", "https://go.example:8443/l", "https://go.example"].map(
      (at) => `${at}/${link.shortId}`,
    ),
    `shop://go.example/l/${link.shortId}`,
    `https://go.example/l/${link.shortId}x`,
    `${long}&ad_type=view`,
    long.replace("/l/@", "/l/s2s/@"),
    long.replace("@shop", "@cafe"),
    "not an address",
  ];
  for (const address of others) {
    const { open, clicks } = await stored(opened(address));
    assert.equal([open.clickId, clicks], [null, []], address);
  }
  const pageview = await stored(opened(short, { category: "app_deeplink_pageview" }));
  assert.equal([pageview.open.clickId, pageview.clicks], [null, []]);
  assert.is((await finder({ ...shop, appId: 2, registeredAt: "", registeredPosition: 0n }, [short])).size, 0);
});

opens("that are rejected are no clicks, and are sent again when links cannot be read", async () => {
  const before = (await application.facts()).length;
  assert.is((await ingest([opened(short, { eventId: "x" })])).rejected.length, 1);
  isUnavailable = true;
  assert.is((await ingest([opened(short, { device: {} })])).rejected.length, 1, "not looked up");
  const { status } = await send([opened(short)]);
  isUnavailable = false;
  assert.equal([status, (await application.facts()).length], [503, before]);
});

opens.run();
