import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Candidate } from "../../../domain/attribution/candidates.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { lookbackSeconds } from "../../../domain/attribution/eligibility.ts";
import type { AttributionRules } from "../../../domain/attribution/events.ts";
import { springSale } from "../../examples/touchpoints.ts";
import { aCandidate, day, hour, install, verdictsOn } from "./examples.ts";

const probabilistic = { matchedBy: "probabilistic" } as const;
const impression = { kind: "impression" } as const;

const lookback = suite("a lookback window");

const defaults: readonly (readonly [string, number, Partial<Candidate>])[] = [
  ["a click by click id 7 days", 7 * day, { matchedBy: "click_id" }],
  ["a click by device 7 days", 7 * day, {}],
  ["a probabilistic click 24 hours", 24 * hour, probabilistic],
  ["an impression by device 24 hours", 24 * hour, impression],
  ["a probabilistic impression 6 hours", 6 * hour, { ...impression, ...probabilistic }],
];
for (const [subject, length, changes] of defaults) {
  lookback(`gives ${subject} by default, both ends included`, () => {
    assert.equal(verdictsOn([aCandidate(1, length, changes)]), ["won"]);
    assert.equal(verdictsOn([aCandidate(1, length + 1, changes)]), ["outside_lookback"]);
    assert.equal(verdictsOn([aCandidate(1, 0, changes)]), ["won"]);
  });
}

lookback("is the channel's own where it has one", () => {
  const own = { click: { device: 60, probabilistic: 50 }, impression: { device: 40, probabilistic: 30 } };
  const rules: AttributionRules = { ...defaultRules, channels: { partner: own } };
  const seconds = (changes: Partial<Candidate>) => lookbackSeconds(aCandidate(1, 0, changes), rules);
  const ofOtherChannels = ["kakao", "constructor"].map((channel) => ({ source: { ...springSale, channel } }));
  const clicks = [{ matchedBy: "click_id" } as const, {}, probabilistic];
  assert.equal(clicks.map(seconds), [60, 60, 50]);
  assert.equal([impression, { ...impression, ...probabilistic }].map(seconds), [40, 30]);
  assert.equal(ofOtherChannels.map(seconds), [7 * 24 * 60 * 60, 7 * 24 * 60 * 60]);
});

lookback.run();

const eligibility = suite("a candidate");

eligibility("of a bot never wins", () => {
  assert.equal(verdictsOn([aCandidate(1, hour, { human: false })]), ["bot"]);
});

for (const [isReengagement, ofInstall, ofDeeplink] of [
  ["ON-TRUE", "reengagement_only", "won"],
  ["ON-FALSE", "won", "acquisition_only"],
] as const) {
  eligibility(`by an ${isReengagement} link is ${ofInstall} for installs, ${ofDeeplink} for deeplinks`, () => {
    const candidates = [aCandidate(1, hour, { source: { ...springSale, isReengagement } })];
    const verdicts = (["app_install", "app_deeplink_open", "app_deeplink_pageview"] as const).map((category) =>
      verdictsOn(candidates, { ...install, category }),
    );
    assert.equal(verdicts, [[ofInstall], [ofDeeplink], [ofDeeplink]]);
  });
}

const conflicts: readonly (readonly [string, Partial<Candidate>])[] = [
  ["gaid", { gaidKey: 2n }],
  ["idfa", { idfaKey: 2n }],
  ["idfv", { idfvKey: 2n }],
  ["device id", { deviceKey: "other" }],
];
for (const [kind, other] of conflicts) {
  eligibility(`with another ${kind} than the target's wins by ids, but not probabilistically`, () => {
    const target = { ...install, gaidKey: 1n, idfaKey: 1n, idfvKey: 1n };
    assert.equal(verdictsOn([aCandidate(1, hour, { ...other, ...probabilistic })], target), ["conflicting_ids"]);
    assert.equal(verdictsOn([aCandidate(1, hour, other)], target), ["won"]);
  });
}

eligibility("without any id, or with the same ids, wins probabilistically", () => {
  const target = { ...install, gaidKey: 1n };
  for (const ids of [{}, { gaidKey: 1n, deviceKey: install.deviceKey }, { idfaKey: 3n }]) {
    assert.equal(verdictsOn([aCandidate(1, hour, { ...ids, ...probabilistic })], target), ["won"]);
  }
});

for (const [isReengagement, category, reason] of [
  ["ON-TRUE", "app_install", "reengagement_only"],
  ["ON-FALSE", "app_deeplink_open", "acquisition_only"],
] as const) {
  eligibility(`names one reason: that it was a bot first, conflicting ids, ${reason}, its age last`, () => {
    const source = { ...springSale, isReengagement };
    const worst = { human: false, source, deviceKey: "other", ...probabilistic };
    const reasons = [
      {},
      { human: true },
      { human: true, deviceKey: null },
      { human: true, deviceKey: null, source: springSale },
    ].map((changes) => verdictsOn([aCandidate(1, 40 * day, { ...worst, ...changes })], { ...install, category }));
    assert.equal(reasons, [["bot"], ["conflicting_ids"], [reason], ["outside_lookback"]]);
  });
}

eligibility.run();
