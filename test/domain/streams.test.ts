import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as streams from "../../domain/streams.ts";

const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
const hash = "a".repeat(64);
const writer = "01890a5dac96774bbcceb302099a8057";

const names = suite("the name of a stream");

names("is ours when it was made for a category", () => {
  const ours = [
    streams.logIdentityStream,
    streams.logClaimsStream,
    streams.appRegistryStream,
    streams.tokenStream(writer),
    streams.channelStream("네이버 검색"),
    streams.trackingLinkStream(1),
    streams.touchpointJournal(10, writer),
    streams.appEventJournal(10, writer),
    streams.attributionStream(1, "order_1-a"),
    streams.appStream(1),
    streams.uploadStream(uuid),
    streams.uploadFileStream(uuid),
    streams.exchangeRatesStream("2026-03-31"),
    streams.reportTaskStream(uuid),
    streams.rawExportsStream(1, "2026-03-31"),
    streams.modelBundlesStream,
    streams.modelFileStream(hash),
    streams.contextCallJournal(1, writer),
    streams.channelCertificationsStream,
    streams.conversionModelStream(1),
    streams.idempotencyStream(1, hash),
    streams.deferredLinkStream(1, uuid),
    streams.dataReadStream(1, uuid),
    streams.webhooksStream(1),
  ];
  assert.equal(
    ours.filter((name) => !streams.isOwnStream(name)),
    [],
  );
});

names("is another application's when its category or the form of its id is not ours", () => {
  const foreign = [
    "touchpoints-x",
    "touchpoints-0_writer",
    "touchpoints-1_",
    ...["touchpoints", "tokens", "channels", "tokenX"],
    "order-1",
    "trackingLink-1x",
    "upload-1",
    "log-1",
    "constructor-1",
    "$settings",
    "",
  ];
  assert.equal(
    foreign.filter((name) => streams.isOwnStream(name)),
    [],
  );
});

names.run();
