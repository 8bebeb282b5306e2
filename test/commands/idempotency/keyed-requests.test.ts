import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { defaultRateLimits } from "../../../infra/config/rate-limits.ts";
import { type EventLog, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { createRateLimiter } from "../../../infra/http/routing/rate-limiter.ts";
import { ok, type Route, refuse, route } from "../../../infra/http/routing/route.ts";
import { type Application, principals, startApplication } from "../../support/application.ts";
import { startTestLog } from "../../support/event-store.ts";
import type { Answer, Client } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";
import { testRouteDocs } from "../../support/test-route-docs.ts";
import { startLinkProcess } from "./link-processes.ts";

const { log, close } = await startTestLog();
const path = "/v1/tracking-links";
let keys = 0;
const freshKey = (): string => {
  keys += 1;
  return `key ${keys}`;
};
const create = (call: Client, key: string, body: unknown, token = "owner"): Promise<Answer> =>
  call("POST", path, { token, body, headers: { "Idempotency-Key": key } });
const seen = ({ status, headers, text }: Answer) => ({ status, text, replayed: headers["idempotent-replayed"] });
async function linksCreated(channel: string): Promise<number> {
  let count = 0;
  for await (const { type, data } of log.readAll("start", 100_000)) {
    if (type === "TrackingLinkCreated" && (data as { channel: string }).channel === channel) count += 1;
  }
  return count;
}

const keyed = suite<{ process: Application; other: Application; clock: { now: number } }>(
  "a request with an Idempotency-Key",
);
keyed.before(async (context) => {
  context.clock = { now: Date.parse("2026-03-01T00:00:00Z") };
  const now = () => new Date(context.clock.now);
  context.process = await startLinkProcess(log, { now });
  context.other = await startLinkProcess(log, { now });
});
keyed.after(async ({ process, other }) => {
  await process.close();
  await other.close();
});

keyed("does its work once and is replayed by every process", async ({ process, other }) => {
  const key = freshKey();
  const first = await create(process.call, key, { channel: "once" });
  const again = await create(process.call, key, { channel: "once" });
  const elsewhere = await create(other.call, key, { channel: "once" });
  assert.equal(seen(first), { status: 200, text: first.text, replayed: undefined });
  for (const replay of [again, elsewhere]) {
    assert.equal(seen(replay), { status: 200, text: first.text, replayed: "true" });
    assert.is(replay.headers["content-type"], first.headers["content-type"]);
    assert.ok(Number(replay.headers["x-log-position"]) >= Number(first.headers["x-log-position"]));
    assert.is.not(replay.headers["x-request-id"], first.headers["x-request-id"]);
  }
  assert.is(await linksCreated("once"), 1);
});

keyed("is replayed when it was rejected", async ({ process }) => {
  for (const body of [{ channel: "organic" }, "{", { channel: "x", colour: "red" }]) {
    const key = freshKey();
    const first = await create(process.call, key, body);
    const again = await create(process.call, key, body);
    assert.ok(first.status === 422 || first.status === 400);
    assert.equal(seen(again), { ...seen(first), replayed: "true" });
    assert.is(again.headers["content-type"], "application/problem+json; charset=utf-8");
  }
});

keyed("is replayed in the language of the first response", async ({ process, other }) => {
  const key = freshKey();
  const inLanguage = (call: Client, language: string) =>
    call("POST", path, {
      token: "owner",
      body: { channel: "organic" },
      headers: { "Idempotency-Key": key, "Accept-Language": language },
    });
  const first = await inLanguage(process.call, "ko");
  assert.is((first.json as { title: string }).title, "처리할 수 없는 내용");
  for (const [call, language] of [
    [process.call, "ja"],
    [other.call, "en"],
  ] as const) {
    const replay = await inLanguage(call, language);
    assert.equal(seen(replay), { ...seen(first), replayed: "true" });
    assert.equal([first.headers["content-language"], replay.headers["content-language"]], ["ko", "ko"]);
  }
});

keyed(
  "is 409 with another body, path, method or role, once the request has the shape of its route",
  async ({ process, other }) => {
    const key = freshKey();
    const headers = { "Idempotency-Key": key };
    const { json } = await create(process.call, key, { channel: "mine" });
    const { id } = (json as { data: { trackingLink: { id: number } } }).data.trackingLink;
    const answers = await Promise.all([
      create(other.call, key, { channel: "other" }),
      process.call("POST", `${path}?a=b`, { token: "owner", body: { channel: "mine" }, headers }),
      process.call("PATCH", `${path}/${id}/routing`, { token: "owner", body: {}, headers }),
      create(process.call, key, { channel: "mine" }, "agency"),
    ]);
    assert.equal(answers.map(outcomeOf), Array(4).fill("409 IDEMPOTENCY_KEY_REUSED"));
    assert.equal(
      [await create(process.call, key, "{"), await create(process.call, key, { channel: "organic" })].map(outcomeOf),
      ["400 INVALID_JSON", "409 IDEMPOTENCY_KEY_REUSED"],
    );
    assert.is((await create(process.call, key, { channel: "mine" }, "other_owner")).status, 200);
    assert.is((await create(process.call, freshKey(), { channel: "other" })).status, 200);
  },
);

keyed("is 409 for a token of other channels", async () => {
  const ofChannel = (channel: string): Principal => ({ ...principals.media_partner, channels: [channel] });
  const tokens = { partner: ofChannel("partner"), kakao: ofChannel("kakao") };
  const { call, close: closeProcess } = await startLinkProcess(log, { principals: tokens });
  try {
    const headers = { "Idempotency-Key": freshKey() };
    const body = { from: "2026-03-01", to: "2026-03-02", groupBys: [], metrics: ["clicks"], filters: [], sorts: [] };
    const answers: Answer[] = [];
    for (const token of ["partner", "kakao", "partner"]) {
      answers.push(await call("POST", "/reports/api/v7/apps/shop/actuals/query", { token, body, headers }));
    }
    const [first] = answers;
    assert.is(first?.status, 200, first?.text);
    assert.is(outcomeOf(answers[1] as Answer), "409 IDEMPOTENCY_KEY_REUSED");
    assert.equal(seen(answers[2] as Answer), { status: 200, text: first?.text, replayed: "true" });
  } finally {
    await closeProcess();
  }
});

keyed("expires after 24 h, and does its work again", async ({ process, other, clock }) => {
  const key = freshKey();
  const first = await create(process.call, key, { channel: "daily" });
  clock.now += 24 * 3_600_000 - 1;
  assert.is((await create(other.call, key, { channel: "daily" })).text, first.text);
  clock.now += 1;
  const next = await create(process.call, key, { channel: "daily" });
  assert.equal(seen(next), { status: 200, text: next.text, replayed: undefined });
  assert.is.not(next.text, first.text);
  assert.is(await linksCreated("daily"), 2);
  clock.now += 24 * 3_600_000;
  assert.is((await create(process.call, key, { channel: "another" })).status, 200);
});

keyed("sent many times at once to two processes does its work once", async ({ process, other }) => {
  const key = freshKey();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      create(index % 2 === 0 ? process.call : other.call, key, { channel: "race" }),
    ),
  );
  assert.equal([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1);
  assert.is(answers[0]?.status, 200);
  assert.is(await linksCreated("race"), 1);
});

keyed("racing with another request under one key leaves one of the two", async ({ process, other }) => {
  for (let round = 0; round < 10; round += 1) {
    const key = freshKey();
    const answers = await Promise.all([
      create(process.call, key, { channel: `left ${round}` }),
      create(other.call, key, { channel: `right ${round}` }),
    ]);
    assert.equal(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.is((await linksCreated(`left ${round}`)) + (await linksCreated(`right ${round}`)), 1);
  }
});

keyed("is rejected with an invalid key", async ({ process }) => {
  for (const key of ["", "k".repeat(256), "schl\u00fcssel"]) {
    assert.is(outcomeOf(await create(process.call, key, { channel: "x" })), "400 VALIDATION_FAILED");
  }
  assert.is((await create(process.call, "k".repeat(255), { channel: "x" })).status, 200);
});

keyed("does not take its key when it is refused with 403, 404 or 413 before its work", async ({ process }) => {
  const key = freshKey();
  const forbidden = await create(process.call, key, { channel: "x" }, "media_partner");
  const unknown = await create(process.call, key, { channel: "x" }, "nobody");
  const tooLarge = await create(process.call, key, "x".repeat(1_100_000));
  assert.equal([forbidden.status, unknown.status, tooLarge.status], [403, 404, 413]);
  const first = await create(process.call, key, { channel: "x" });
  assert.equal(seen(first), { status: 200, text: first.text, replayed: undefined });
});

const keyedWork = (handle: Route["handle"]): Route =>
  route({
    docs: testRouteDocs,
    method: "post",
    path: "/test/work",
    operation: "manage_tracking_links",
    idempotent: true,
    handle,
  });

keyed("stores nothing for a response of its work with 401, 403, 413, 429 or 5xx", async () => {
  const statuses = [401, 403, 413, 429, 500, 503, 200];
  let works = 0;
  const work = keyedWork(async () => {
    const status = statuses[works] ?? 0;
    works += 1;
    return status === 200 ? ok({ works }) : refuse({ status, code: "INTERNAL_ERROR" });
  });
  const { call, close } = await startApplication({ log, routes: [work] });
  try {
    const headers = { "Idempotency-Key": freshKey() };
    const found = [];
    for (let sent = 0; sent < statuses.length; sent += 1) {
      found.push((await call("POST", "/test/work", { token: "owner", headers })).status);
    }
    const replay = await call("POST", "/test/work", { token: "owner", headers });
    assert.equal(found, statuses);
    assert.equal(seen(replay), { status: 200, text: '{"works":7}', replayed: "true" });
  } finally {
    await close();
  }
});

keyed("whose work two processes do at once gets the response that was stored first", async () => {
  let works = 0;
  let bothWork = (): void => {};
  const together = new Promise<void>((resolve) => {
    bothWork = resolve;
  });
  const work = keyedWork(async () => {
    works += 1;
    const body = { work: works };
    if (works === 2) bothWork();
    await together;
    return ok(body);
  });
  const processes = await Promise.all([1, 2].map(() => startApplication({ log, routes: [work] })));
  try {
    const headers = { "Idempotency-Key": freshKey() };
    const answers = await Promise.all(
      processes.map(({ call }) => call("POST", "/test/work", { token: "owner", headers })),
    );
    const [one, other] = answers.map(seen);
    assert.equal([works, one?.text], [2, other?.text]);
    assert.equal([one?.replayed, other?.replayed].sort(), ["true", undefined]);
  } finally {
    for (const { close } of processes) await close();
  }
});

keyed("may be a change of a link or a report", async ({ process }) => {
  const { json } = await create(process.call, freshKey(), { channel: "x", customShortId: "changing" });
  const { id } = (json as { data: { trackingLink: { id: number } } }).data.trackingLink;
  const [from, to] = ["2026-03-01", "2026-03-02"];
  const report = { from, to, groupBys: [], metrics: ["clicks"], filters: [], sorts: [] };
  const requests = [
    ["PATCH", `${path}/${id}/og-tag`, { title: "a", description: "b", imageUrl: "https://shop.example/c.png" }],
    ["PATCH", `${path}/${id}/routing`, { deeplinkUrl: "https://shop.example/sale" }],
    ["POST", "/reports/api/v7/apps/shop/actuals/query", report],
  ] as const;
  for (const [method, address, body] of requests) {
    const call = { token: "owner", body, headers: { "Idempotency-Key": freshKey() } };
    const first = await process.call(method, address, call);
    const again = await process.call(method, address, call);
    assert.is(first.status, 200, first.text);
    assert.equal(seen(again), { status: 200, text: first.text, replayed: "true" });
  }
});

keyed("does not count against the rate limit when it is replayed; a reused key does", async () => {
  const limits = { ...defaultRateLimits, "link-creation": { count: 2, seconds: 3_600 } };
  const limited = await startLinkProcess(log, { rateLimiter: createRateLimiter(limits, () => 0) });
  try {
    const key = freshKey();
    const statuses: number[] = [];
    for (const body of ["a", "a", "a", "b", "a", "b"]) {
      statuses.push((await create(limited.call, key, { channel: body })).status);
    }
    assert.equal(statuses, [200, 200, 200, 409, 200, 429]);
    assert.is((await create(limited.call, freshKey(), { channel: "a" })).status, 429);
  } finally {
    await limited.close();
  }
});

keyed("with a stored key counts against the rate limit when it is refused before it can be a repetition", async () => {
  const limits = { ...defaultRateLimits, "link-creation": { count: 3, seconds: 3_600 } };
  const limited = await startLinkProcess(log, { rateLimiter: createRateLimiter(limits, () => 0) });
  try {
    const key = freshKey();
    const statuses: number[] = [];
    const tooLarge = "x".repeat(1_100_000);
    for (const body of [{ channel: "a" }, tooLarge, { channel: "a" }, tooLarge, tooLarge, { channel: "a" }]) {
      statuses.push((await create(limited.call, key, body)).status);
    }
    assert.equal(statuses, [200, 413, 200, 413, 429, 200]);
  } finally {
    await limited.close();
  }
});

keyed.run();

const dying = suite("a process that dies under a keyed request");
const bodies = [
  ["", { channel: "dying" }],
  ["/bulk", { links: [{ channel: "dying" }, { channel: "organic" }, { channel: "dying", customShortId: "dying" }] }],
] as const;

for (const [to, body] of bodies) {
  for (const [when, takesEffect] of [
    ["before", false],
    ["after", true],
  ] as const) {
    dying(`${when} any append of POST ${path}${to} leaves a retry the same work, done once`, async () => {
      const send = (call: Client, key: string, tag: string) => {
        const tagged = JSON.parse(JSON.stringify(body).replaceAll("dying", tag));
        return call("POST", path + to, { token: "owner", body: tagged, headers: { "Idempotency-Key": key } });
      };
      const whole = await startLinkProcess(log);
      try {
        for (let appends = 0; ; appends += 1) {
          const key = freshKey();
          const tag = `dying-${to.slice(1)}-${when}-${appends}`;
          const doomed = await startLinkProcess(dyingAfter(appends, takesEffect));
          const first = await send(doomed.call, key, tag);
          await doomed.close();
          const links = to === "" ? 1 : 2;
          const retry = await send(whole.call, key, tag);
          assert.is(retry.status, 200);
          assert.equal(seen(await send(whole.call, key, tag)), { status: 200, text: retry.text, replayed: "true" });
          assert.is(await linksCreated(tag), links);
          if (first.status === 200) {
            assert.is(retry.text, first.text);
            assert.is(appends, links + 2);
            return;
          }
          assert.is(first.status, 503);
        }
      } finally {
        await whole.close();
      }
    });
  }
}

/** A log that a process can append to so often; the next append takes effect or not, and nothing works from then on. */
function dyingAfter(appends: number, takesEffect: boolean): EventLog {
  let left = appends;
  const dead = (): never => {
    throw new EventLogUnavailable("dead");
  };
  return {
    ...log,
    async append(...append) {
      left -= 1;
      if (left < 0 && !(takesEffect && left === -1)) dead();
      const appended = await log.append(...append);
      return left < 0 ? dead() : appended;
    },
    async *read(...read) {
      if (left < 0) dead();
      yield* log.read(...read);
    },
  };
}

dying.after(close);
dying.run();
