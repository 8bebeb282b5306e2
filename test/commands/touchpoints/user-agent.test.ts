import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createUserAgentReader } from "../../../commands/touchpoints/user-agent.ts";
import { isWellFormedText } from "../../../domain/values/text.ts";
import { userAgents } from "../../examples/tracking-links.ts";

const reading = suite("reading a user agent");
const read = createUserAgentReader();
const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";

reading("gives operating system, version and no bot", () => {
  const { iphone, android, desktop } = userAgents;
  assert.equal([iphone, android, desktop].map(read), [
    { userAgent: iphone, os: "iOS", osVersion: "17.1.1", botName: null },
    { userAgent: android, os: "Android", osVersion: "15", botName: null },
    { userAgent: desktop, os: "Web", osVersion: null, botName: null },
  ]);
});

reading("ignores case", () => {
  for (const userAgent of [userAgents.iphone, userAgents.android, userAgents.desktop]) {
    const lowerCase = userAgent.toLowerCase();
    assert.equal(read(lowerCase), { ...read(userAgent), userAgent: lowerCase });
  }
});

/** Each row: operating system, version, user agent. */
const versions = [
  ["iOS", null, "Mozilla/5.0 (iPhone; CPU iPhone OS like Mac OS X)"],
  ["iOS", null, "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1_ like Mac OS X)"],
  ["iOS", null, "iPad"],
  ["iOS", "15.7", "Mozilla/5.0 (iPod touch; CPU OS 15_7 like Mac OS X)"],
  ["iOS", null, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15) AppleWebKit/605.1.15 FxiOS/128.0 Safari/605.1.15"],
  ["iOS", null, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_4) AppleWebKit/605.1.15 CriOS/119 Safari/605.1.15"],
  ["Android", null, "Mozilla/5.0 (Linux; Android; SM-S938N)"],
  ["Android", null, "Android"],
  ["Android", "14", "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8)"],
  ["Android", `1${"0".repeat(127)}`, `Android 1${"0".repeat(127)}`],
  ["Android", null, `Android 1${"0".repeat(128)}`],
  ["Android", null, "OpenHarmony 5.0 Android 12"],
  ["Web", null, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.1 Safari/605.1.15"],
  ["Web", null, "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"],
] as const;

for (const [os, osVersion, userAgent] of versions) {
  const name = osVersion === null ? "without a version" : osVersion.slice(0, 9);
  reading(`gives ${os} ${name}: ${userAgent.slice(0, 100)} (${userAgent.length})`, () => {
    assert.equal(read(userAgent), { userAgent, os, osVersion, botName: read(userAgent).botName });
  });
}

reading("gives no version where browsers report a frozen one", () => {
  const reduced = `Mozilla/5.0 (Linux; Android 10; K) ${chrome}`;
  const reducedInApp = `Mozilla/5.0 (Linux; Android 10; K; wv) ${chrome}`;
  const frozen =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1";
  assert.equal(
    [reduced, reducedInApp, frozen, reduced.toLowerCase(), frozen.toLowerCase()].map(
      (userAgent) => read(userAgent).osVersion,
    ),
    Array(5).fill(null),
  );
});

reading("gives nulls without a user agent", () => {
  const nothing = { userAgent: null, os: null, osVersion: null, botName: null };
  assert.equal([undefined, ""].map(read), [nothing, nothing]);
});

reading("truncates user agent and bot name", () => {
  assert.is(read("a".repeat(16_000)).userAgent?.length, 1_024);
  assert.is(read(`spider${"s".repeat(16_000)}`).botName?.length, 100);
});

reading("counts characters, not code units", () => {
  const robots = (count: number) => "\u{1f916}".repeat(count);
  assert.equal([read(robots(1_024)).userAgent, read(robots(1_025)).userAgent], [robots(1_024), robots(1_024)]);
});

reading("is something of every text, and never more than can be stored", () => {
  const words = fc.constantFrom(
    "bot",
    "compatible; ",
    "http://",
    "a@b.c",
    "Mozilla/5.0 (",
    ";",
    " ",
    "/1.0",
    "\u{1f916}",
    "Android",
    "iPhone",
    "OS ",
    "_",
    "17_1",
    " like Mac OS X",
    "Macintosh",
    " FxiOS/",
    "Version/",
    "Windows ",
  );
  const texts = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.array(words, { minLength: 1, size: "+3" }));
  fc.assert(
    fc.property(texts, (sent) => {
      const text = typeof sent === "string" ? sent.replace(/[\0\p{Cs}]/gu, "x") : sent.join("");
      const { userAgent, os, osVersion, botName } = read(text);
      assert.ok(text.startsWith(userAgent ?? "nothing"));
      assert.ok(os === "iOS" || os === "Android" || (os === "Web" && osVersion === null), `${os} ${osVersion}`);
      if (osVersion !== null) assert.match(osVersion, /^\d[\d.]{0,127}$/);
      assert.ok(isWellFormedText(userAgent ?? ""));
      if (botName !== null) assert.ok(botName !== "" && botName.length <= 100 && isWellFormedText(botName), botName);
    }),
    { numRuns: 2_000 },
  );
});

reading.run();
