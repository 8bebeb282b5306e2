import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Fault } from "../../../domain/fault.ts";
import { linkFaults, routingFaults } from "../../../domain/tracking-links/link-request.ts";
import { overriddenRouting } from "../../../domain/tracking-links/routing.ts";
import { shop } from "../../examples/app.ts";
import { noFallbacks } from "../../examples/tracking-links.ts";

const words = suite("the words for an app's stores");

/** Each row: the platform, the word, whether it may stand there. */
for (const [platform, word, isTaken] of [
  ["ios", "itunes-appstore", true],
  ["ios", "google-play", false],
  ["android", "itunes-appstore", false],
  ["android", "google-play", true],
  ["desktop", "itunes-appstore", true],
  ["desktop", "google-play", true],
  ["ios", "ITUNES-APPSTORE", false],
  ["android", "Google-Play", false],
  ["android", " google-play", false],
  ["desktop", "app-store", false],
] as const) {
  words(`${JSON.stringify(word)} ${isTaken ? "is" : "is no"} fallback of ${platform}, in a link or its URL`, () => {
    const fallbackPaths = { [platform]: word };
    const faultyFields = (faults: readonly Fault[]) => faults.map(({ path }) => path);
    const faulty = isTaken ? [] : [["fallbackPaths", platform]];
    assert.equal(faultyFields(linkFaults({ channel: "x", fallbackPaths })), faulty);
    assert.equal(faultyFields(routingFaults({ fallbackPaths })), faulty);

    const routing = { deeplinkUrl: null, fallbackPaths: noFallbacks };
    const expected = isTaken ? { ...routing, fallbackPaths: { ...noFallbacks, [platform]: word } } : routing;
    assert.equal(overriddenRouting(routing, { [platform]: word }, shop), expected);
  });
}

words.run();
