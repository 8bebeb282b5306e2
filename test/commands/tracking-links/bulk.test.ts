import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fault } from "../../../domain/fault.ts";
import { trackingLinkStream } from "../../../domain/streams.ts";
import { defaultRateLimits } from "../../../infra/config/rate-limits.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { errorsOf, textOf } from "../../../infra/http/i18n/messages.ts";
import { maxStoredBodyBytes } from "../../../infra/http/routing/idempotency.ts";
import { createRateLimiter } from "../../../infra/http/routing/rate-limiter.ts";
import type { Application } from "../../support/application.ts";
import { startTestLog } from "../../support/event-store.ts";
import { statusesOf } from "../../support/raw-client.ts";
import { refusalOf } from "../../support/short-faults.ts";
import { startLinkProcess } from "../idempotency/link-processes.ts";

const path = "/v1/tracking-links/bulk";

interface Item {
  readonly index: number;
  readonly status: number;
  readonly trackingLink?: { readonly id: number; readonly shortId: string; readonly shortUrl: string };
  readonly error?: { readonly code: string; readonly errors: readonly { readonly loc: unknown }[] };
}

const bulk = suite<{ log: EventLog; process: Application; close: () => Promise<void> }>("POST /v1/tracking-links/bulk");

bulk.before(async (context) => {
  const { log, close } = await startTestLog();
  context.log = log;
  context.process = await startLinkProcess(log);
  context.close = async () => {
    await context.process.close();
    await close();
  };
});
bulk.after(({ close }) => close());

async function create({ call }: Application, links: readonly unknown[], key?: string, language = "en") {
  const headers = { "Accept-Language": language, ...(key === undefined ? {} : { "Idempotency-Key": key }) };
  const answer = await call("POST", path, { token: "link", body: { links }, headers });
  const items = answer.status === 200 ? (answer.json as { data: { links: readonly Item[] } }).data.links : [];
  return { ...answer, items };
}

bulk("creates 100 links, each with its addresses, in order", async ({ process }) => {
  const links = Array.from({ length: 100 }, (_, index) => ({ channel: "x", customShortId: `many-${index}` }));
  const { status, headers, items } = await create(process, links);
  assert.is(status, 200);
  const positions = await Promise.all(
    items.map(async ({ trackingLink }) => {
      const [created] = await process.events(trackingLinkStream(trackingLink?.id ?? 0));
      return Number(created?.position.commit);
    }),
  );
  assert.is(headers["x-log-position"], String(Math.max(...positions)));
  assert.equal(
    items.map(({ index, status, trackingLink }) => [index, status, trackingLink?.shortUrl]),
    links.map(({ customShortId }, index) => [index, 200, `https://l.example/${customShortId}`]),
  );
});

bulk("reports the faults of a link in the language of the client", async ({ process }) => {
  const { items } = await create(process, [{ channel: 1 }], undefined, "ko");
  const error = {
    code: "VALIDATION_FAILED",
    title: textOf({ code: "title.422" }, "ko"),
    detail: textOf({ code: "VALIDATION_FAILED" }, "ko"),
    errors: errorsOf([fault("wrong_type.string", ["body", "links", 0, "channel"])], "ko"),
  };
  assert.equal(items, [{ index: 0, status: 422, error }]);
});

for (const link of [
  { channel: "a\u0000" },
  { channel: "a\ud800", colour: "red" },
  { channel: "x", campaignParams: { term: "\u0000".repeat(300) } },
  { channel: "x", fallbackPaths: { option: { iosCustomProductPageId: "\udc00" } } },
  { channel: "x", ogTag: { "title\u0000": "Sale" } },
  ["\u0000"],
  "\u0000",
  { channel: 1, colour: "red" },
  { channel: "organic", deeplinkUrl: "//evil" },
  '{"channel":"x","__proto__":1}',
  '{"channel":1e999}',
]) {
  const body = typeof link === "string" && link.startsWith("{") ? link : JSON.stringify(link);
  bulk(`reports the faults of ${body.slice(0, 60)} that a single creation reports`, async ({ process }) => {
    type Faults = { readonly errors: readonly { readonly loc: readonly (string | number)[] }[] };
    const alone = await process.call("POST", "/v1/tracking-links", { token: "link", body });
    const together = await process.call("POST", path, { token: "link", body: `{"links":[${body}]}` });
    const [item] = (together.json as { data: { links: readonly { status: number; error: Faults }[] } }).data.links;
    const { errors } = alone.json as Faults;
    const placed = errors.map(({ loc: [root, ...rest], ...fault }) => ({ loc: [root, "links", 0, ...rest], ...fault }));
    assert.is.not(placed.length, 0);
    assert.equal([item?.status, item?.error.errors], [alone.status, placed]);
  });
}

bulk("reports the outcome of each link at its index", async ({ process }) => {
  const { items } = await create(process, [
    { channel: "x" },
    { channel: "x", customShortId: "taken" },
    { channel: "x", customShortId: "taken" },
    { channel: "organic" },
    { channel: "x", deeplinkUrl: "javascript:alert(1)", colour: "red" },
    { channel: "x\u0000" },
    "a link",
    null,
    { channel: "x", ogTag: { imageUrl: "//evil" } },
  ]);
  assert.equal(
    items.map(({ status, error }) => refusalOf({ status, json: error })),
    [
      "200",
      "200",
      "422 SHORT_ID_TAKEN body.links.2.customShortId",
      "422 VALIDATION_FAILED body.links.3.channel",
      "422 VALIDATION_FAILED body.links.4.colour body.links.4.deeplinkUrl",
      "422 VALIDATION_FAILED body.links.5.channel",
      "422 VALIDATION_FAILED body.links.6",
      "422 VALIDATION_FAILED body.links.7",
      "422 VALIDATION_FAILED body.links.8.ogTag.imageUrl",
    ],
  );
});

bulk("gives a short id that is requested several times to the first link", async ({ process }) => {
  const links = Array.from({ length: 60 }, (_, index) => ({ channel: "x", customShortId: `first-${index % 3}` }));
  const { items } = await create(process, links);
  const expected = links.map((_, index) => (index < 3 ? 200 : 422));
  assert.equal(statusesOf(items), expected);
});

bulk("is replayed under its key", async ({ process }) => {
  const first = await create(process, [{ channel: "x" }, { channel: "organic" }], "bulk");
  const again = await create(process, [{ channel: "x" }, { channel: "organic" }], "bulk");
  assert.equal([again.text, again.headers["idempotent-replayed"]], [first.text, "true"]);
});

bulk("whose response is too long to be stored gives the same links under its key", async ({ process }) => {
  const long = "\u{1f45f}".repeat(128);
  const campaignParams = { campaign: long, ad_group: long, ad_creative: long, term: long };
  const replayed: unknown[] = [];
  for (const length of [20, 80]) {
    const links = Array.from({ length }, () => ({ channel: "x", campaignParams }));
    const first = await create(process, links, `long-${length}`);
    const again = await create(process, links, `long-${length}`);
    assert.equal([again.status, again.text], [200, first.text]);
    replayed.push([JSON.stringify(first.text).length > maxStoredBodyBytes, again.headers["idempotent-replayed"]]);
  }
  assert.equal(replayed, [
    [false, "true"],
    [true, undefined],
  ]);
  assert.is((await create(process, [{ channel: "x" }], "long-80")).status, 409);
});

bulk("takes 1 to 100 links", async ({ process }) => {
  const answers = [await create(process, []), await create(process, Array(101).fill({ channel: "x" }))];
  assert.equal(statusesOf(answers), [422, 422]);
});

/** Runs `use` with a rate limit of `count` links a minute, after `before` single ones; `pass` moves the clock. */
async function limited(
  log: EventLog,
  { count, before }: { readonly count: number; readonly before: number },
  use: (world: { bulkOf(links: number, key?: string): Promise<unknown>; pass(seconds: number): void }) => Promise<void>,
): Promise<void> {
  let now = 0;
  const limits = { ...defaultRateLimits, "link-creation": { count, seconds: 60 } };
  const process = await startLinkProcess(log, { rateLimiter: createRateLimiter(limits, () => now) });
  try {
    for (let sent = 0; sent < before; sent += 1) {
      await process.call("POST", "/v1/tracking-links", { token: "link", body: { channel: "x" } });
    }
    await use({
      bulkOf: async (links, key) => {
        const { status, headers, items } = await create(process, Array(links).fill({ channel: "x" }), key);
        const created = items.filter((item) => item.status === 200).length;
        return [status, created, headers["ratelimit-remaining"], headers["retry-after"]];
      },
      pass: (seconds) => {
        now += seconds * 1_000;
      },
    });
  } finally {
    await process.close();
  }
}

for (const [links, before, expected] of [
  // One less than the remaining tokens, all of them, and one more
  [3, 2, [200, 3, "1", undefined]],
  [4, 2, [200, 4, "0", undefined]],
  [5, 2, [429, 0, "4", "10"]],
  // One less than a full bucket, a full bucket, and one more, which the bucket then owes
  [5, 0, [200, 5, "1", undefined]],
  [6, 0, [200, 6, "0", undefined]],
  [7, 0, [200, 7, "0", undefined]],
  [100, 0, [200, 100, "0", undefined]],
  [100, 1, [429, 0, "5", "10"]],
] as const) {
  const name = `of ${links} after ${before} single links, of 6 a minute, is ${expected[0]} and leaves ${expected[2]}`;
  bulk(name, ({ log }) =>
    limited(log, { count: 6, before }, async ({ bulkOf }) => assert.equal(await bulkOf(links), expected)),
  );
}

bulk("over the limit is created under its key after Retry-After, and not a second before", ({ log }) =>
  limited(log, { count: 6, before: 4 }, async ({ bulkOf, pass }) => {
    assert.equal(await bulkOf(5, "waits"), [429, 0, "2", "30"]);
    pass(29);
    assert.equal(await bulkOf(5, "waits"), [429, 0, "4", "1"]);
    pass(1);
    assert.equal(await bulkOf(5, "waits"), [200, 5, "0", undefined]);
    // A replay does not count.
    assert.equal(await bulkOf(5, "waits"), [200, 5, undefined, undefined]);
  }),
);

bulk("that counts as more than a full bucket is paid for before the next call", ({ log }) =>
  limited(log, { count: 6, before: 0 }, async ({ bulkOf, pass }) => {
    assert.equal(await bulkOf(9), [200, 9, "0", undefined]);
    // 3 are owed: a link is there after 4 of 10 s each
    pass(39);
    assert.equal(await bulkOf(1), [429, 0, "0", "1"]);
    pass(1);
    assert.equal(await bulkOf(1), [200, 1, "0", undefined]);
  }),
);

bulk("with an invalid shape counts once", ({ log }) =>
  limited(log, { count: 6, before: 0 }, async ({ bulkOf }) => {
    assert.equal(await bulkOf(101), [422, 0, "5", undefined]);
  }),
);

bulk.run();
