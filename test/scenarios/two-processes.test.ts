// time limit: 120 s
import { randomUUID } from "node:crypto";
import { constants, getPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { userAgents } from "../examples/tracking-links.ts";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../support/application-process.ts";
import { metric, recordedClicks, runSeparateStore } from "./separate-store.ts";

const home = "https://shop.example/home";
const appStore = "https://apps.apple.com/app/id123456789";
const app = {
  name: "shop",
  timezone: "Asia/Seoul",
  currency: "USD",
  ownerEmail: "owner@shop.example",
  desktopUrl: home,
  iosStoreId: "123456789",
};
const { desktop, iphone } = userAgents;
const rounds = 15;
const effectiveWithinMs = 2_000;
const timeoutMs = 10_000;
const pollPause = 5;

type World = Awaited<ReturnType<typeof given>>;
const test = suite<World>("Two API processes on one event store and one Postgres");

test.before(async (world) => {
  Object.assign(world, await given());
});
test.after((world) => world.end());

test("requested to create one short id at the same instant: one creates the link, which both serve, the other rejects it", async (world) => {
  for (let round = 0; round < rounds; round += 1) {
    const shortId = `wanted-${round}`;
    const wishes = world.processes.map((application, index) => {
      const body = { ...linkTo(`https://shop.example/${index}`), customShortId: shortId };
      return { destination: `https://shop.example/${index}`, create: () => world.send(application, "POST", "", body) };
    });
    // The processes take turns in being requested first.
    if (round % 2 === 1) wishes.reverse();
    const answers = await Promise.all(wishes.map(({ create }) => create()));
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.equal(
      answers.map(({ status, body }) => [status, body.errors?.[0]?.loc]),
      wishes.map((_, index) => (index === winner ? [200, undefined] : [422, ["body", "customShortId"]])),
    );
    const served = await Promise.all(world.processes.map((application) => world.open(application, shortId, desktop)));
    assert.equal(served, Array(2).fill(wishes[winner]?.destination));
  }
});

test("go before the worker on one machine", ({ worker, processes }) => {
  if (process.platform !== "linux") return;
  // That of this process, which the API inherits.
  const usual = getPriority();
  assert.equal(
    [worker, ...processes].map(({ run }) => getPriority(run.pid)),
    [Math.max(usual, constants.priority.PRIORITY_BELOW_NORMAL), usual, usual],
  );
});

test("redirect clicks to the new destination within 2 s of a change through either, and record it", async (world) => {
  const { data } = (await world.send(world.processes[0], "POST", "", linkTo("https://shop.example/first"))).body;
  const { id, shortId } = data.trackingLink;
  for (const application of world.processes)
    await world.timeUntil(application, shortId, desktop, "https://shop.example/first");
  const changes = [
    [{ fallbackPaths: { desktop: "https://shop.example/second" } }, desktop, "https://shop.example/second"],
    [{ fallbackPaths: { desktop: null } }, desktop, home],
    [{ fallbackPaths: { desktop: "https://shop.example/third" } }, desktop, "https://shop.example/third"],
    [{ deeplinkUrl: "https://shop.example/app" }, iphone, "https://shop.example/app"],
    [{ deeplinkUrl: null }, iphone, appStore],
    [{ fallbackPaths: { ios: "https://shop.example/ios" } }, iphone, "https://shop.example/ios"],
    [{ fallbackPaths: { ios: null, desktop: null } }, iphone, appStore],
    [{}, desktop, home],
  ] as const;
  for (const [index, [change, userAgent, destination]] of changes.entries()) {
    const changing = index === 5 ? world.processes[1] : world.processes[0];
    const changedAt = performance.now();
    assert.is((await world.send(changing, "PATCH", `/${id}/routing`, change)).status, 200);
    const times = await Promise.all(
      world.processes.map((application) => world.timeUntil(application, shortId, userAgent, destination, changedAt)),
    );
    assert.ok(Math.max(...times) < effectiveWithinMs, `${destination} after ${times} ms`);
  }
  assert.equal(await world.recorded(), world.clicks);
});

test("serve a link within 2 s after one has created it, although the other has cached that it was unknown", async (world) => {
  for (let round = 0; round < 5; round += 1) {
    const customShortId = `awaited-${round}`;
    const [creating, other] = world.processes;
    assert.is(await world.open(other, customShortId, desktop), 404);
    const createdAt = performance.now();
    assert.is((await world.send(creating, "POST", "", { ...linkTo(home), customShortId })).status, 200);
    const time = await world.timeUntil(other, customShortId, desktop, home, createdAt);
    assert.ok(time < effectiveWithinMs, `${time} ms`);
  }
  assert.equal(
    await Promise.all(world.processes.map((application) => metric(application, "clicks_unresolved_total"))),
    [0, world.foundNothing.length],
  );
});

test("have their events attributed by the worker, which only serves its health and metrics", async (world) => {
  const { shortId } = (await world.send(world.processes[0], "POST", "", linkTo(home))).body.data.trackingLink;
  await world.open(world.processes[0], shortId, desktop);
  const clickId = Object.keys(world.clicks).at(-1) ?? "";
  const [, { operator, client }] = world.processes;
  const eventId = randomUUID();
  const install = { eventId, eventTimestamp: Date.now(), category: "app_install", referrer: { clickId } };
  await client(world.token).send("POST", "/events/v1/apps/shop/app-events", {
    events: [{ ...install, device: { id: "phone", os: "Android" } }],
  });
  const winner = async (): Promise<string | undefined> => {
    const answer = await operator.send("GET", `/admin/v1/apps/shop/attributions/${eventId}`).catch(() => null);
    return (answer as { data: { winner: { touchpointId: string } | null } } | null)?.data.winner?.touchpointId;
  };
  await until(async () => (await winner()) === clickId);
  const { baseUrl } = world.worker.run;
  const statuses = await Promise.all(
    ["/readyz", "/admin/v1/apps"].map(async (path) => (await fetch(baseUrl + path)).status),
  );
  assert.equal(statuses, [200, 404]);
});

test.run();

interface Answer {
  readonly status: number;
  readonly body: {
    readonly data: { readonly trackingLink: { readonly id: number; readonly shortId: string } };
    readonly errors?: readonly { readonly loc: unknown }[];
  };
}

/** An event store, a worker and two API processes with an app that both know. */
async function given() {
  const separate = await runSeparateStore();
  const directories = await Promise.all(Array.from({ length: 3 }, temporaryDirectory));
  const start = (index: number, role: string): Promise<RunningApplication> =>
    runApplication(directories[index]?.path ?? "", { ...separate.environment, ROLES: role });
  const worker = await start(0, "worker");
  const processes = [await start(1, "api"), await start(2, "api")] as const;
  const token = (await registerApp(processes[0].operator, app)).api;
  /** Every click that was sent on: its id, and where to. */
  const clicks: Record<string, string> = {};
  /** The short ids of every click that found no link. */
  const foundNothing: string[] = [];

  const send = async (
    { run }: RunningApplication,
    method: "GET" | "POST" | "PATCH",
    path: string,
    body?: object,
  ): Promise<Answer> => {
    const response = await fetch(`${run.baseUrl}/v1/tracking-links${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };
  /** Where a process sends a visitor to, without the click's id; the status when it sends nowhere. */
  const open = async ({ run }: RunningApplication, shortId: string, userAgent: string): Promise<string | number> => {
    const response = await fetch(`${run.baseUrl}/l/${shortId}`, {
      redirect: "manual",
      headers: { "user-agent": userAgent },
    });
    await response.arrayBuffer();
    const location = response.headers.get("location");
    if (response.status === 404) foundNothing.push(shortId);
    if (location === null) return response.status;
    const { origin, pathname, searchParams } = new URL(location);
    clicks[searchParams.get("tl_click_id") ?? ""] = location;
    return `${origin}${pathname}`;
  };

  await until(async () => (await send(processes[1], "GET", "?from=2026-01-01&to=2026-01-02")).status === 200);
  return {
    ...{ worker, processes, token },
    clicks,
    foundNothing,
    send,
    open,
    /** Milliseconds from `since` until a process sends visitors to `destination`. */
    async timeUntil(
      application: RunningApplication,
      shortId: string,
      userAgent: string,
      destination: string,
      since = performance.now(),
    ) {
      await until(async () => (await open(application, shortId, userAgent)) === destination);
      return performance.now() - since;
    },
    /** The destinations of the clicks as the log has them, once it has all: a spooled one may come late. */
    async recorded(): Promise<Readonly<Record<string, string>>> {
      const found: Record<string, string> = {};
      await until(async () => {
        for (const { touchpointId, destination } of await recordedClicks(separate)) {
          found[touchpointId] = destination ?? "";
        }
        return Object.keys(found).length >= Object.keys(clicks).length;
      });
      // In the order of the clicks
      return Object.fromEntries(Object.keys(clicks).map((click) => [click, found[click] ?? ""]));
    },
    async end() {
      for (const application of [...processes, worker]) assert.is(await application.stop(), 0);
      await Promise.all([separate, ...directories.map(({ remove }) => ({ end: remove }))].map(({ end }) => end()));
    },
  };
}

function linkTo(address: string): object {
  return { channel: "newsletter", fallbackPaths: { desktop: address } };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It has not come to ${holds}`);
    await pause(pollPause);
  }
}
