import { suite } from "uvu";
import * as assert from "uvu/assert";
import { detectOs, osOfUserAgent } from "../../../domain/touchpoints/operating-system.ts";
import { userAgents } from "../../examples/tracking-links.ts";

const { iphone, android, desktop } = userAgents;
const webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const onMac = (browser: string) => `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} ${browser}`;

const byUserAgent = suite("the system in a user agent");

/** Each row: the system, a user agent. */
const userAgentsSay = [
  ["iOS", iphone],
  ["iOS", `Mozilla/5.0 (iPad; CPU OS 17_1 like Mac OS X) ${webKit} Version/17.1 Mobile/15E148 Safari/604.1`],
  ["iOS", `Mozilla/5.0 (iPod; CPU OS 15_7 like Mac OS X) ${webKit} Version/15.7 Mobile/15E148 Safari/604.1`],
  ["iOS", `Mozilla/5.0 (iPod touch; CPU OS 12_5 like Mac OS X) ${webKit} Version/12.1 Mobile/15E148 Safari/604.1`],
  ["iOS", onMac("CriOS/119 Version/11.1.1 Safari/605.1.15")],
  ["iOS", onMac("FxiOS/128.0 Safari/605.1.15")],
  ["iOS", onMac("EdgiOS/129.0 Safari/605.1.15")],
  ["Web", onMac("Version/17.1 Safari/605.1.15")],
  ["Android", android],
  [
    "Android",
    "Mozilla/5.0 (Linux; Android 12; HarmonyOS; NOH-AN00) Chrome/99.0 HuaweiBrowser/13.0 Mobile Safari/537.36",
  ],
  ["Web", "Mozilla/5.0 (Linux; like Android 4.4) SmartTV"],
  ["Web", "Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; iPhone) like iPhone OS 7_0_3 like Mac OS X"],
  ["Web", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) like iPhone and Android"],
  ["Web", desktop],
  ["Web", "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/131.0.0.0 Safari/537.36"],
  ["Web", "-"],
] as const;

for (const [os, userAgent] of userAgentsSay) {
  byUserAgent(`is ${os}, whatever the case: ${userAgent}`, () => {
    assert.equal([userAgent, userAgent.toLowerCase(), userAgent.toUpperCase()].map(osOfUserAgent), [os, os, os]);
  });
}

const decided = suite("the system of a visitor");

/** Each row: the system in the user agent, the platform hint, the result. */
const decisions = [
  [null, `"Android"`, "Android"],
  [null, `"iOS"`, "iOS"],
  ["Web", `"Android"`, "Android"],
  ["Web", `"iOS"`, "iOS"],
  ["iOS", `"Android"`, "Android"],
  ["Android", `"iOS"`, "iOS"],
  ["Web", "android", "Android"],
  ["Web", `"IOS"`, "iOS"],
  ["Android", `"Windows"`, "Android"],
  ["iOS", `"macOS"`, "iOS"],
  ["Android", `"Linux"`, "Android"],
  ["Web", `"Chrome OS"`, "Web"],
  ["Web", `"Unknown"`, "Web"],
  [null, `"Windows"`, null],
  ["Web", "", "Web"],
  ["Web", `""`, "Web"],
  ["Web", `"Not Android"`, "Web"],
  ["Web", `"Android", "iOS"`, "Web"],
  ["iOS", `"Android", "Android"`, "iOS"],
] as const;

for (const [os, hint, expected] of decisions) {
  decided(`with ${os} in the user agent and the hint ${hint} is ${expected}`, () => {
    assert.is(detectOs(os, hint), expected);
  });
}

byUserAgent.run();
decided.run();
