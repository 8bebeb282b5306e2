import { suite } from "uvu";
import * as assert from "uvu/assert";
import { humanVerdict, type TouchpointClient } from "../../../domain/touchpoints/bot-filter.ts";
import { userAgents } from "../../examples/tracking-links.ts";

const verdict = suite("whether a person clicked");
const person: TouchpointClient = { origin: "redirect", userAgent: userAgents.iphone, botName: null };

verdict("is yes for a browser that is no known bot", () => {
  assert.equal(humanVerdict(person), { human: true });
});

verdict("is no for a known bot, with its name", () => {
  assert.equal(humanVerdict({ ...person, botName: "Googlebot" }), { human: false, bot: "Googlebot" });
});

verdict("is no without a user agent where a browser would send one", () => {
  const unnamed = { ...person, userAgent: null };
  const noUserAgent = { human: false, bot: "no-user-agent" };
  assert.equal(humanVerdict(unnamed), noUserAgent);
  assert.equal(humanVerdict({ ...unnamed, origin: "view" }), noUserAgent);
});

verdict("is yes without a user agent in reports of partners", () => {
  assert.equal(humanVerdict({ ...person, userAgent: null, origin: "server_to_server" }), { human: true });
  assert.equal(humanVerdict({ ...person, userAgent: null, origin: "back_fill" }), { human: true });
});

verdict.run();
