import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type Features,
  type FeatureTouchpoint,
  featureNames,
  featuresOf,
  type KnownInstall,
  vectorOf,
} from "../../../domain/prediction/features.ts";

const at = Date.parse("2026-03-10T09:00:00Z");
const hour = 3_600_000;
const day = 24 * hour;

const install: KnownInstall = {
  at,
  localHour: 18,
  localWeekday: 2,
  os: "Android",
  value: 4.99,
  isReinstall: false,
  isAttributed: true,
  isSelfAttributing: false,
};
const touch = (kind: FeatureTouchpoint["kind"], age: number, channel: string): FeatureTouchpoint => ({
  kind,
  at: at - age,
  channel,
});

const nothing: Features = {
  trackinglink_count: 0,
  click_count: 0,
  impression_count: 0,
  click_ratio: 0,
  unique_channel_count: 0,
  channel_entropy: 0,
  latency_s: 0,
  recency_s: 0,
  last1h_touch_count: 0,
  last24h_touch_count: 0,
  recent_24h_ratio: 0,
  touch_per_latency_hour: 0,
  is_single_touch: 0,
  is_attributed: 0,
  is_self_attributing: 0,
  is_reinstall: 0,
  install_hour_sin: 0,
  install_hour_cos: 1,
  install_weekday: 1,
  os_is_ios: 0,
  os_is_android: 0,
  install_value: 0,
};
const plain: KnownInstall = {
  ...install,
  localHour: 0,
  localWeekday: 1,
  os: null,
  value: 0,
  isAttributed: false,
};

const features = suite("the features of an install");

features("of four touchpoints in two channels", () => {
  const touchpoints = [
    touch("click", 10 * hour, "kakao"),
    touch("impression", 2 * day, "kakao"),
    touch("click", hour / 2, "appier"),
    touch("click", 2 * hour, "kakao"),
  ];
  assert.equal(featuresOf(install, touchpoints), {
    ...nothing,
    trackinglink_count: 4,
    click_count: 3,
    impression_count: 1,
    click_ratio: 0.75,
    unique_channel_count: 2,
    channel_entropy: -(0.25 * Math.log(0.25)) - 0.75 * Math.log(0.75),
    latency_s: 172_800,
    recency_s: 1_800,
    last1h_touch_count: 1,
    last24h_touch_count: 3,
    recent_24h_ratio: 0.75,
    touch_per_latency_hour: 4 / 48,
    is_attributed: 1,
    install_hour_sin: Math.sin((2 * Math.PI * 18) / 24),
    install_hour_cos: Math.cos((2 * Math.PI * 18) / 24),
    install_weekday: 2,
    os_is_android: 1,
    install_value: 4.99,
  });
});

features("are 0 without input", () => assert.equal(featuresOf(plain, []), nothing));

features("of one touchpoint at the same instant", () => {
  assert.equal(featuresOf(plain, [touch("click", 0, "kakao")]), {
    ...nothing,
    trackinglink_count: 1,
    click_count: 1,
    click_ratio: 1,
    unique_channel_count: 1,
    last1h_touch_count: 1,
    last24h_touch_count: 1,
    recent_24h_ratio: 1,
    touch_per_latency_hour: 1,
    is_single_touch: 1,
  });
});

const windows: readonly (readonly [keyof Features, number])[] = [
  ["trackinglink_count", 30 * day],
  ["last24h_touch_count", day],
  ["last1h_touch_count", hour],
];
for (const [name, window] of windows) {
  features(`${name} counts up to ${window} ms before the install, both ends included`, () => {
    const counted = (age: number) => featuresOf(plain, [touch("click", age, "kakao")])[name];
    assert.equal([-1, 0, window - 1, window, window + 1].map(counted), [0, 1, 1, 1, 0]);
  });
}

features("distinguish systems, re-installs and networks", () => {
  const shown = featuresOf({ ...plain, os: "iOS", isReinstall: true, isAttributed: true, isSelfAttributing: true }, []);
  assert.equal(shown, { ...nothing, os_is_ios: 1, is_reinstall: 1, is_attributed: 1, is_self_attributing: 1 });
});

features("are a vector in the requested order", () => {
  assert.equal(
    vectorOf({ ...nothing, install_value: 7 }, ["install_value", "install_hour_cos", "click_count"]),
    [7, 1, 0],
  );
});

features.run();

const properties = suite("all features");
const anyTouchpoint = fc.record<FeatureTouchpoint>({
  kind: fc.constantFrom("click", "impression"),
  at: fc.integer({ min: at - 40 * day, max: at }),
  channel: fc.constantFrom("kakao", "appier", "remerge", "aarki", "tiktok"),
});

properties("are the same bits in whatever order the touchpoints come", () => {
  const touchpoints = fc.array(anyTouchpoint, { maxLength: 30 });
  fc.assert(
    fc.property(
      touchpoints.chain((given) => fc.tuple(fc.constant(given), shuffled(given))),
      ([given, other]) => {
        const [one, two] = [featuresOf(install, given), featuresOf(install, other)];
        assert.ok(featureNames.every((name) => Object.is(one[name], two[name])));
        assert.ok(featureNames.every((name) => Number.isFinite(one[name])));
      },
    ),
  );
});

function shuffled<Item>(items: readonly Item[]): fc.Arbitrary<Item[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length });
}

properties.run();
