import { createHash } from "node:crypto";
import { runInNewContext } from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openAppPage } from "../../../commands/link-serving/html-pages.ts";
import { linkSuite } from "../../support/link-application.ts";
import { parsePage } from "../../support/parsed-page.ts";
import { create, open } from "../../support/visitor.ts";

const deeplink = "shop://sale?a='b'&c=<1>";
const fallback = "https://shop.example/?a=1&b=2";

const scripts = suite("the page that opens an app, with scripts");

scripts("tries the app at once, and waits a second and a half", () => {
  const { went, timers } = visited(openAppPage(deeplink, fallback).html);
  assert.equal([went, timers.map(({ ms, isWaiting }) => [ms, isWaiting])], [[["to", deeplink]], [[1_500, true]]]);
});

scripts("is replaced by the fallback when no app has opened", () => {
  const page = visited(openAppPage(deeplink, fallback).html);
  page.waitOut();
  assert.equal(page.went, [
    ["to", deeplink],
    ["instead to", fallback],
  ]);
});

scripts("stays when the app has opened", () => {
  const page = visited(openAppPage(deeplink, fallback).html);
  page.show(false);
  assert.is(page.timers[0]?.isWaiting, false);
  page.show(true);
  page.waitOut();
  assert.equal(page.went, [["to", deeplink]]);
});

scripts("stays when the page is hidden without an event", () => {
  const page = visited(openAppPage(deeplink, fallback).html);
  page.document.hidden = true;
  page.waitOut();
  assert.equal(page.went, [["to", deeplink]]);
});

scripts("keeps waiting when it is shown again", () => {
  const page = visited(openAppPage(deeplink, fallback).html);
  page.show(true);
  page.waitOut();
  assert.equal(page.went.at(-1), ["instead to", fallback]);
});

const served = linkSuite("the page that opens an app, as it is served");

served("may run its own script and nothing else, and takes visitors where its links lead", async ({ application }) => {
  const { shortUrl } = await create(application, { deeplinkUrl: "shop://sale?a='b'&c=1" });
  const { status, text, headers } = await open(application, shortUrl);
  const recorded = await application.lastTouchpoint();
  const hash = createHash("sha256").update(scriptOf(text)).digest("base64");
  assert.is(status, 200);
  assert.is(
    headers["content-security-policy"],
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-${hash}'`,
  );
  const page = visited(text);
  page.waitOut();
  const clickId = recorded.data.touchpointId;
  assert.equal(page.went, [
    ["to", `shop://sale?a='b'&c=1&tl_click_id=${clickId}`],
    ["instead to", `https://apps.apple.com/app/id123456789?tl_click_id=${clickId}`],
  ]);
  assert.equal(
    page.links,
    page.went.map(([, address]) => address),
  );
});

for (const tests of [scripts, served]) tests.run();

/** The text of a page's one script, as browsers hash it. */
function scriptOf(html: string): string {
  const [script, ...others] = [...html.matchAll(/<script>(.*?)<\/script>/gs)];
  assert.equal([script === undefined, others], [false, []], "a page with one script");
  return script?.[1] ?? "";
}

/** A page whose script has run in a browser that goes nowhere: where it would have gone, and what it waits for. */
function visited(html: string) {
  const markup = parsePage(html.replace(/<script>.*?<\/script>/s, "")).flatMap((one) => ("tag" in one ? [one] : []));
  const { attributes } = markup.find(({ tag }) => tag === "body") ?? { attributes: {} };
  const dataset = Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.replace(/^data-/, ""), value]),
  );
  const went: (readonly ["to" | "instead to", string])[] = [];
  const timers: { readonly action: () => void; readonly ms: number; isWaiting: boolean }[] = [];
  const listeners: (() => void)[] = [];
  const document = {
    body: { dataset },
    hidden: false,
    addEventListener: (type: string, listener: () => void) => {
      if (type === "visibilitychange") listeners.push(listener);
    },
  };
  const location = {
    set href(address: string) {
      went.push(["to", address]);
    },
    replace: (address: string) => went.push(["instead to", address]),
  };
  runInNewContext(scriptOf(html), {
    document,
    location,
    setTimeout: (action: () => void, ms: number) => timers.push({ action, ms, isWaiting: true }) - 1,
    clearTimeout: (timer: number) => {
      const cleared = timers[timer];
      if (cleared !== undefined) cleared.isWaiting = false;
    },
  });
  return {
    went,
    timers,
    document,
    links: markup.flatMap(({ tag, attributes }) => (tag === "a" ? [attributes.href] : [])),
    /** The visitor sees the page, or something else. */
    show: (isShown: boolean): void => {
      document.hidden = !isShown;
      for (const listener of listeners) listener();
    },
    /** Everything that waits comes due. */
    waitOut: (): void => {
      for (const timer of timers) if (timer.isWaiting) timer.action();
    },
  };
}
