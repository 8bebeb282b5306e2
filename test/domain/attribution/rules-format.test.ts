import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { durationSeconds, durationText } from "../../../domain/attribution/duration.ts";
import { formatRules, type PartialRules, parseRules } from "../../../domain/attribution/rules-format.ts";

const duration = suite("a duration of rules");

duration("is a number of minutes, hours or days, up to 30 days", () => {
  const texts = ["0m", "0h", "0d", "1m", "90m", "24h", "7d", "29d", "30d", "719h", "720h", "43199m", "43200m", "007d"];
  assert.equal(
    texts.map(durationSeconds),
    [
      0,
      0,
      0,
      60,
      5_400,
      86_400,
      604_800,
      29 * 86_400,
      30 * 86_400,
      719 * 3_600,
      720 * 3_600,
      43_199 * 60,
      43_200 * 60,
    ].concat(604_800),
  );
  for (const text of ["31d", "721h", "43201m", "99999d", "100000m"]) assert.is(durationSeconds(text), null, text);
});

duration("has no other format", () => {
  for (const text of ["", "7", "d", "-1d", "1.5h", "7 d", " 7d", "7d ", "7D", "7w", "30s", "1e1d", "7d\n", "٧d"]) {
    assert.is(durationSeconds(text), null, JSON.stringify(text));
  }
});

duration("is written in the largest unit that fits, a single day as 24h", () => {
  assert.equal([0, 60, 5_400, 3_600, 86_400, 90_000, 172_800, 2_592_000].map(durationText), [
    "0h",
    "1m",
    "90m",
    "1h",
    "24h",
    "25h",
    "2d",
    "30d",
  ]);
});

duration.run();

const rules = suite("written rules");

const defaults = {
  click: { device: "7d", probabilistic: "24h" },
  impression: { device: "24h", probabilistic: "6h" },
  attributionWindow: "30d",
  channels: {},
};

rules("without fields are the defaults", () => {
  assert.equal(parseRules({}), defaultRules);
  assert.equal(parseRules(defaults), defaultRules);
  assert.equal(formatRules(defaultRules), defaults);
});

rules("fill missing windows of a channel with the app's own", () => {
  const written: PartialRules = {
    click: { device: "3d" },
    channels: { partner: { click: { probabilistic: "30m" } }, kakao: { impression: { device: "0h" } } },
  };
  assert.equal(formatRules(parseRules(written)), {
    ...defaults,
    click: { device: "3d", probabilistic: "24h" },
    channels: {
      partner: { click: { device: "3d", probabilistic: "30m" }, impression: defaults.impression },
      kakao: { click: { device: "3d", probabilistic: "24h" }, impression: { device: "0h", probabilistic: "6h" } },
    },
  });
});

rules("read back as they were written, also of a channel that is called as objects' own parts are", () => {
  const channels = Object.fromEntries(["__proto__", "constructor"].map((name) => [name, { click: { device: "1h" } }]));
  const once = formatRules(parseRules({ channels }));
  assert.equal(Object.keys(once.channels), ["__proto__", "constructor"]);
  assert.is(JSON.stringify(formatRules(parseRules(once))), JSON.stringify(once));
});

rules.run();
