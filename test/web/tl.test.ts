// time limit: 60 s
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import { createHttpApp, securityHeaders } from "../../infra/http/server/http-app.ts";
import { mountWebSnippet } from "../../infra/http/server/web-snippet.ts";
import { type Application, servedShop } from "../support/application.ts";
import { servePage, startBrowser } from "../support/browser.ts";
import { appEventIngest, startIngest } from "../support/ingest.ts";
import { root } from "../support/paths.ts";

const endpoint = "**/events/v1/apps/shop/app-events";

let page: Page;
let application: Application;
let site: Awaited<ReturnType<typeof servePage>>;
let chromium: Awaited<ReturnType<typeof startBrowser>>;
/** Resolves with the path of the next request that changes something, once it is answered. */
let nextAnswer: () => Promise<string>;

const snippet = suite("the web snippet in a browser");
snippet.before(async () => {
  chromium = await startBrowser();
  site = await servePage(html);
  const waiting: ((path: string) => void)[] = [];
  nextAnswer = () => new Promise((resolve) => waiting.push(resolve));
  const apps = [{ ...servedShop, allowedOrigins: [site.origin] }];
  application = await startIngest(
    appEventIngest,
    {},
    {
      apps,
      app: () => {
        const app = createHttpApp();
        app.use((request, response, next) => {
          if (request.method === "POST") response.on("finish", () => waiting.shift()?.(request.path));
          next();
        });
        app.use(securityHeaders());
        mountWebSnippet(app);
        return app;
      },
    },
  );
});
snippet.after(async () => {
  await Promise.all([chromium.close(), site.close(), application.close()]);
});
snippet.before.each(async () => {
  page = await (await chromium.browser.newContext({ locale: "en-US" })).newPage();
});
snippet.after.each(() => page.context().close());

/** The tag of docs/contract/web-snippet.md, for `documented` as it stands there, under the policy that is given there. */
function html(query: URLSearchParams): string {
  if (query.has("documented")) {
    const text = readFileSync(join(root, "docs/contract/web-snippet.md"), "utf8");
    const [, tag = ""] = /```html\n(.*?)```/s.exec(text) ?? [];
    const [, policy = ""] = /^Content-Security-Policy: (.*)$/m.exec(text) ?? [];
    return `<meta http-equiv="Content-Security-Policy" content="${policy}">${tag}`
      .replaceAll("https://api.example", application.baseUrl)
      .replace("tl_web_...", "web");
  }
  const consent = query.has("consent") ? ` data-consent="required"` : "";
  return `<script>
window.touchledger=window.touchledger||function(){var t=touchledger;(t.q=t.q||[]).length<100&&t.q.push(arguments)};
${query.get("early") ?? ""}
</script><script async src="${application.baseUrl}/tl.js" data-app="shop" data-token="web"${consent}></script>`;
}

async function open(query = ""): Promise<void> {
  await page.goto(`${site.origin}/${query}`);
  await page.waitForFunction("!touchledger.q");
}

const run = (script: string): Promise<unknown> => page.evaluate(script);
const stored = () =>
  run("Object.keys(localStorage).filter(k => k.startsWith('tl:shop:')).sort().map(k => JSON.parse(localStorage[k]))");

/** Data of the events in the log that have a label. */
async function logged(label: string): Promise<readonly AppEventRecorded["data"][]> {
  const facts = (await application.facts()) as readonly AppEventRecorded[];
  return facts.map(({ data }) => data).filter((data) => data.label === label);
}

/** Answers of the server that the page gets instead of what it would. */
async function answers(...given: readonly { readonly status: number; readonly [more: string]: unknown }[]) {
  const left = [...given];
  const bodies: { readonly events: readonly { readonly label: string; readonly eventId: string }[] }[] = [];
  await page.route(endpoint, (route) => {
    bodies.push(route.request().postDataJSON());
    const { status, json = {}, headers = {} } = { headers: {}, ...left.shift() };
    if (status === undefined) return route.continue();
    const readable = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*" };
    return route.fulfill({ status, json, headers: { ...readable, ...(headers as object) } });
  });
  return bodies;
}

/** Pauses become 0, and are listed in `pauses`; the share that is drawn is the largest. */
const withoutPauses = `
  window.pauses = [];
  const wait = setTimeout;
  window.setTimeout = (work, ms) => { pauses.push(ms); return wait(work, 0); };
  Math.random = () => 1;`;

const unreachable = "window.fetch = () => Promise.reject(new TypeError());";

snippet("is at most 1.5 KB, cacheable by browsers, and usable by pages of any origin", async () => {
  const { status, headers, text } = await application.call("GET", "/tl.js");
  assert.ok(gzipSync(text, { level: 9 }).length <= 1_536);
  const etag = headers.etag ?? "";
  assert.equal(
    [status, headers["content-type"], headers["cache-control"]],
    [200, "text/javascript; charset=utf-8", "public, max-age=3600, stale-while-revalidate=86400"],
  );
  assert.equal(
    [
      headers["access-control-allow-origin"],
      headers["cross-origin-resource-policy"],
      headers["x-content-type-options"],
    ],
    ["*", "cross-origin", "nosniff"],
  );
  assert.is((await application.call("GET", "/tl.js", { headers: { "If-None-Match": etag } })).status, 304);
  const compressed = await fetch(`${application.baseUrl}/tl.js`);
  assert.ok(Number(compressed.headers.get("content-length")) <= 1_536);
});

snippet("sends an event of a page of another origin, with the click that led there", async () => {
  const clickId = "01a204ed-d989-7d28-a245-2fadaf49e37d";
  await open(`?tl_click_id=${clickId}`);
  const answered = nextAnswer();
  // As the router of a page does.
  await run(`history.replaceState(null, "", "/"), touchledger("event", "app_deeplink_pageview", { label: "click" })`);
  assert.is(await answered, "/events/v1/apps/shop/app-events");
  const [event] = await logged("click");
  const deviceId = await run("localStorage['tl:shop']");
  assert.equal(
    [event?.category, event?.source, event?.clickId, event?.device, event?.person.deviceId],
    ["app_deeplink_pageview", "web", clickId, { os: "Web", language: "en-US" }, deviceId],
  );
  await page.waitForFunction("Object.keys(localStorage).length === 1");
});

snippet("sends events without a response again with the same ids, and the server counts them once", async () => {
  const bodies: unknown[] = [];
  await page.addInitScript(withoutPauses);
  await page.route(endpoint, async (route) => {
    bodies.push(route.request().postDataJSON());
    const response = await route.fetch();
    if (bodies.length === 1) return route.abort();
    const { data } = await response.json();
    assert.equal([data.accepted, data.duplicates], [0, 1]);
    return route.fulfill({ response });
  });
  await open();
  await run("touchledger('event', 'app_open', { label: 'again' })");
  await page.waitForFunction("Object.keys(localStorage).length === 1");
  assert.is(bodies.length, 2);
  assert.equal(bodies[0], bodies[1]);
  assert.is((await logged("again")).length, 1);
});

snippet("sends events again whose response has not come within 30 s", async () => {
  await page.addInitScript(withoutPauses);
  await page.addInitScript(`
    window.deadlines = [];
    const [{ timeout }, send] = [AbortSignal, fetch];
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, deadlines.push(ms) === 1 ? 0 : ms);
    window.fetch = (url, init) => {
      window.fetch = send;
      return new Promise((_, reject) => init.signal?.addEventListener("abort", reject));
    };`);
  await open();
  await run("touchledger('event', 'app_open', { label: 'silent' })");
  await page.waitForFunction("Object.keys(localStorage).length === 1", null, { timeout: 10_000 });
  assert.equal(await run("deadlines"), [30_000, 30_000]);
  assert.is((await logged("silent")).length, 1);
});

snippet("waits twice as long after each failure, 5 minutes at most, and as long as the server says", async () => {
  await page.addInitScript(withoutPauses);
  const bodies = await answers(
    ...Array.from({ length: 10 }, () => ({ status: 503 })),
    {
      status: 429,
      headers: { "Retry-After": "900" },
    },
    { status: 503, headers: { "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT" } },
  );
  await open();
  await run("touchledger('event', 'app_open', { label: 'busy' })");
  await page.waitForFunction("Object.keys(localStorage).length === 1");
  const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 900, 300];
  assert.equal(await run("pauses"), [100, ...seconds.map((each) => each * 1_000)]);
  assert.is(new Set(bodies.map((body) => JSON.stringify(body))).size, 1);
  assert.is((await logged("busy")).length, 1);
});

snippet("drops permanently refused events with a warning, and keeps those over the rate limit", async () => {
  await page.addInitScript(withoutPauses);
  const warned: Promise<unknown[]>[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning") warned.push(Promise.all(message.args().map((each) => each.jsonValue())));
  });
  const refused = { index: 0, code: "UNKNOWN_CATEGORY", message: "..." };
  const rejected = [refused, { index: 1, code: "RATE_LIMITED", message: "..." }];
  const bodies = await answers({ status: 202, json: { data: { rejected } } }, { status: 400, json: {} });
  await open();
  await run("for (const label of ['a', 'b', 'c']) touchledger('event', 'app_open', { label })");
  await page.waitForFunction("Object.keys(localStorage).length === 1");
  assert.equal(
    bodies.map(({ events }) => events.map(({ label }) => label)),
    [["a", "b", "c"], ["b"]],
  );
  const device = { os: "Web", language: "en-US" };
  assert.equal(await Promise.all(warned), [
    ["touchledger", refused, { ...bodies[0]?.events[0], device }],
    ["touchledger", 400, "{}"],
  ]);
});

snippet("keeps events of a page without network for the next page", async () => {
  await open();
  await page.context().setOffline(true);
  await run("touchledger('event', 'app_open', { label: 'offline' })");
  await page.waitForRequest(endpoint);
  const [kept] = (await stored()) as [{ readonly eventId: string }];
  await page.close();
  page = await page.context().newPage();
  await page.context().setOffline(false);
  const answered = nextAnswer();
  await open();
  await answered;
  assert.equal(
    (await logged("offline")).map(({ eventId }) => eventId),
    [kept.eventId],
  );
});

snippet("sends queued events when the user leaves the page, counted once with the next page", async () => {
  await page.addInitScript(unreachable);
  await open();
  await run("touchledger('event', 'app_open', { label: 'left' })");
  const beacon = nextAnswer();
  await page.goto("about:blank");
  assert.is(await beacon, "/events/v1/apps/shop/app-events/beacon");
  const next = await page.context().newPage();
  await page.close();
  page = next;
  const resent = nextAnswer();
  await open();
  assert.is(await resent, "/events/v1/apps/shop/app-events");
  assert.is((await logged("left")).length, 1);
});

snippet("sends what was given, whatever the page does with it later", async () => {
  await page.addInitScript(unreachable);
  await open();
  await run(`
    const given = { label: 'given', user: { externalUserId: 'u-1' } };
    touchledger('event', 'app_open', given);
    given.user.externalUserId = 'u-2'`);
  const beacon = nextAnswer();
  await page.goto("about:blank");
  await beacon;
  assert.equal(
    (await logged("given")).map(({ person }) => person.externalUserId),
    ["u-1"],
  );
});

snippet("reports calls that it cannot use to the console, and takes those before and after them", async () => {
  await page.addInitScript(unreachable);
  const reported: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") reported.push(message.text());
  });
  page.on("pageerror", ({ message }) => reported.push(`thrown: ${message}`));
  const early = `
    touchledger('event', 'app_open', { label: 'calls' });
    touchledger('event', 'app_open', null);
    const cycle = {};
    cycle.properties = cycle;
    touchledger('event', 'app_open', cycle);
    touchledger('event', 'app_open', { label: 'calls' })`;
  await open(`?early=${encodeURIComponent(early)}`);
  await run("touchledger('event', 'app_open', null), touchledger('event', 'app_open', { label: 'calls' })");
  const beacon = nextAnswer();
  await page.goto("about:blank");
  await beacon;
  assert.is((await logged("calls")).length, 3);
  const nothing = "TypeError: Cannot read properties of null (reading 'device')";
  assert.equal(
    reported.map((text) => text.split("\n")[0]),
    [nothing, "TypeError: Converting circular structure to JSON", nothing],
  );
});

snippet("works on a page with the documented policy", async () => {
  const reported: string[] = [];
  page.on("console", (message) => reported.push(message.text()));
  await open("?documented");
  const answered = nextAnswer();
  await run("touchledger('event', 'app_open', { label: 'policy' })");
  await answered;
  assert.equal([reported, (await logged("policy")).length], [[], 1]);
});

snippet("stores and sends nothing before consent, everything after it, and nothing after its withdrawal", async () => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await open("?consent&early=touchledger('event','app_open',{label:'consent'})");
  await run("touchledger('identify', 'u-1'), touchledger('page')");
  await run("dispatchEvent(new Event('online')), dispatchEvent(new Event('pagehide'))");
  assert.equal([await run("localStorage.length"), await run("document.cookie")], [0, ""]);
  assert.equal(requests, ["/", "/tl.js"]);

  const answered = nextAnswer();
  await run("touchledger('consent', true)");
  await answered;
  assert.is((await logged("consent")).length, 1);

  await run("touchledger('event', 'app_open', { label: 'withdrawn' }), touchledger('consent', false)");
  await run("touchledger('event', 'app_open', { label: 'withdrawn' }), touchledger('consent', 'denied')");
  await run("dispatchEvent(new Event('online')), dispatchEvent(new Event('pagehide'))");
  assert.is(await run("localStorage.length"), 0);
  const again = nextAnswer();
  await run("touchledger('consent', true), touchledger('event', 'app_open', { label: 'consent' })");
  await again;
  assert.equal([(await logged("withdrawn")).length, (await logged("consent")).length], [0, 2]);
});

snippet("queues 100 events, of 16,000 bytes each and 60,000 in all; the oldest make room", async () => {
  await page.addInitScript(unreachable);
  await open();
  const labels = async (script: string): Promise<readonly (readonly [length: number, start: string])[]> => {
    await run(`touchledger('consent', false), touchledger('consent', true); ${script}`);
    const events = (await stored()) as readonly { readonly label: string }[];
    return events.map(({ label }) => [label.length, label.slice(0, 1)]);
  };
  for (const [recorded, kept] of [
    [99, 99],
    [100, 100],
    [101, 100],
  ] as const) {
    const script = `for (let n = 1; n <= ${recorded}; n++) touchledger('event', 'app_open', { label: 'x'.repeat(n) })`;
    const lengths = (await labels(script)).map(([length]) => length).sort((one, other) => one - other);
    assert.equal(
      lengths,
      Array.from({ length: kept }, (_, n) => recorded - kept + n + 1),
    );
  }
  const send = (label: string, length: number): string =>
    `touchledger('event', 'app_open', { label: '${label}'.repeat(${length}) });`;
  await labels(send("x", 1));
  const overhead = Number(await run("localStorage[Object.keys(localStorage).find(k => k.length > 20)].length")) - 1;
  for (const [bytes, kept] of [
    [15_999, 1],
    [16_000, 1],
    [16_001, 0],
  ] as const) {
    assert.is((await labels(send("x", bytes - overhead))).length, kept);
    // Three bytes a character
    const korean = `touchledger('event', 'app_open', { label: '가'.repeat(5_000) + 'x'.repeat(${bytes - overhead - 15_000}) });`;
    assert.is((await labels(korean)).length, kept);
  }
  // Each event is sent with the id of the device, all in one object.
  const withId = overhead + ',"id":""'.length + 36;
  const left = 60_000 - '{"events":[,,,]}'.length - 4 * withId - 3 * 15_000;
  for (const [more, kept] of [
    [-1, "abcd"],
    [0, "abcd"],
    [1, "bcd"],
  ] as const) {
    const script = [...["a", "b", "c"].map((label) => send(label, 15_000)), send("d", left + more)].join("");
    const starts = (await labels(script)).map(([, start]) => start).sort();
    assert.is(starts.join(""), kept);
  }
});

snippet("sends the latest of too many stored events, as several pages without network leave them", async () => {
  const bodies = await answers({ status: 400 }, { status: 400 });
  await open();
  const sentOf = async (count: number, length: number): Promise<readonly string[]> => {
    await run(`for (let n = 1; n <= ${count}; n++)
      localStorage['tl:shop:' + (1e12 + n)] = JSON.stringify({ label: String(n).padEnd(${length}) })`);
    await open();
    await page.waitForFunction("Object.keys(localStorage).length === 1");
    return bodies.splice(0).flatMap(({ events }) => events.map(({ label }) => label.trim()));
  };
  assert.equal(
    await sentOf(600, 1),
    Array.from({ length: 100 }, (_, n) => String(n + 501)),
  );
  assert.equal(await sentOf(10, 15_000), ["8", "9", "10"]);
});

snippet.run();
