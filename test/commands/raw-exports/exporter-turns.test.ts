import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventMetadata } from "../../../commands/metadata.ts";
import { placeOf } from "../../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../../domain/streams.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { file, type GivenExporter, givenExporter } from "./given-exporter.ts";

let given: GivenExporter;
const turns = suite("the exporter, with several exports,");
turns.before(async () => {
  given = await givenExporter();
});
turns.before.each(() => given.reset());
turns.after(() => given.close());

const several = async (count: number, appId: number): Promise<readonly number[]> => {
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await given.requested(appId));
  return ids;
};
const allEnded = (reportIds: readonly number[]) => async (): Promise<boolean> =>
  (await Promise.all(reportIds.map((id) => given.isEnded(id)))).every((ended) => ended);

turns("reads two at once, never more, and every one in the end", async () => {
  const ids = await several(5, 1);
  let now = 0;
  let max = 0;
  given.circumstances.describe = async () => {
    now += 1;
    max = Math.max(max, now);
    while (max < 2) await delay(1);
    // A third would come meanwhile.
    await delay(20);
    now -= 1;
    return file;
  };
  await given.runUntil(allEnded(ids));
  assert.is(max, 2);
  for (const id of ids) assert.equal(await given.typesOf(id), ["ExportRequested", "ExportCompleted"]);
});

turns("lets apps take turns: many exports of one do not starve another's", async () => {
  const ids = [...(await several(8, 1)), ...(await several(1, 2)), ...(await several(1, 3))];
  const order: number[] = [];
  given.circumstances.describe = async ({ appId }) => {
    order.push(appId);
    while (order.length < 2) await delay(1);
    return file;
  };
  await given.runUntil(allEnded(ids));
  assert.is(order.length, 10);
  assert.equal(order.slice(0, 3).sort(), [1, 2, 3]);
});

turns("reads the exports of an app in the order of their requests", async () => {
  const ids = await several(4, 1);
  const order: number[] = [];
  given.circumstances.describe = async ({ reportId }) => {
    order.push(reportId);
    return file;
  };
  await given.runUntil(allEnded(ids));
  assert.equal(order, ids);
});

turns.run();

const killed = suite("an exporter that is killed");
killed.before(async () => {
  given = await givenExporter();
});
killed.before.each(() => given.reset());
killed.after(() => given.close());

const contentOf = async (reportId: number): Promise<unknown> => {
  const events = await given.events(reportId);
  return events.map(({ type, data }) => ({ type, data: { ...data, requestedAt: null, endedAt: null } }));
};

killed("between reading and recording ends as one that was not", async () => {
  const whole = await given.requested();
  await given.runUntil(() => given.isEnded(whole));
  const reportId = await given.requested();
  let isAppending = false;
  const { append } = given.circumstances;
  given.circumstances.append = async () => {
    isAppending = true;
    throw new Error("killed");
  };
  await given.runUntil(() => isAppending);
  assert.equal(await given.typesOf(reportId), ["ExportRequested"]);

  given.circumstances.append = append;
  await given.runUntil(() => given.isEnded(reportId));
  const shown = async (id: number) => JSON.stringify(await contentOf(id)).replaceAll(String(id), "id");
  const commandIds = /"commandId":"[^"]*"/g;
  assert.is((await shown(reportId)).replaceAll(commandIds, ""), (await shown(whole)).replaceAll(commandIds, ""));
});

killed("between appending and knowing it records nothing twice", async () => {
  const reportId = await given.requested();
  const { append } = given.circumstances;
  given.circumstances.append = async (...appended) => {
    await append(...appended);
    throw new Error("killed");
  };
  await given.runUntil(() => given.isEnded(reportId));
  const before = await given.events(reportId);
  const list = [{ reportId, appId: 1, position: before[0]?.position.commit ?? 0n }];
  given.circumstances.append = append;
  let reads = 0;
  given.circumstances.openExports = async () => list;
  given.circumstances.describe = async () => {
    reads += 1;
    return { ...file, sha256: "cd".repeat(32) };
  };
  await given.runUntil(() => reads > 0);
  assert.equal(await given.events(reportId), before);
  assert.is(given.failures.length, 1);
});

killed("by another process that failed the export meanwhile leaves it its end", async () => {
  const reportId = await given.requested();
  let isTold = false;
  given.circumstances.describe = async () => {
    const endedAt = "2026-03-31T12:01:00.000Z";
    const cause = { actor: { kind: "reactor", name: "exporter" }, requestId: "other", occurredAt: endedAt } as const;
    const data = { reportId, reason: "facts_behind", endedAt };
    const failed = {
      id: exampleUuid("failed", 1),
      type: "ExportFailed",
      data,
      metadata: eventMetadata("ExportFailed", cause),
    };
    await given.log.append(rawExportsStream(1, placeOf(reportId)?.date ?? ""), 0n, [failed]);
    isTold = true;
    return file;
  };
  await given.runUntil(async () => isTold && (await given.circumstances.openExports()).length === 0);
  assert.equal(await given.typesOf(reportId), ["ExportRequested", "ExportFailed"]);
  assert.equal(given.failures, []);
});

killed("stops at once, and what it read with it", async () => {
  const reportId = await given.requested();
  const aborted = new AbortController();
  const isReading = new Promise<void>((resolve) => {
    given.circumstances.describe = (_one, stopping) =>
      new Promise((_resolve, reject) => {
        stopping.addEventListener("abort", () => reject(stopping.reason), { once: true });
        resolve();
      });
  });
  const { over } = given.start(aborted.signal);
  await isReading;
  const since = performance.now();
  aborted.abort();
  await over;
  assert.ok(performance.now() - since < 1_000);
  assert.equal(given.failures, []);
  assert.equal(await given.typesOf(reportId), ["ExportRequested"]);
});

killed("waits 2 s, no longer, for a read that does not end", async () => {
  await given.requested();
  const aborted = new AbortController();
  const isReading = new Promise<void>((resolve) => {
    given.circumstances.describe = () => {
      resolve();
      return new Promise(() => undefined);
    };
  });
  const { over } = given.start(aborted.signal);
  await isReading;
  const since = performance.now();
  aborted.abort();
  await over;
  const ms = performance.now() - since;
  assert.ok(ms > 1_900 && ms < 5_000, `${ms} ms`);
});

killed("looks at its list when it is woken, and every half second when it is not", async () => {
  const aborted = new AbortController();
  const looks: number[] = [];
  let looked = (): void => {};
  const look = (): Promise<void> =>
    new Promise((resolve) => {
      looked = resolve;
    });
  given.circumstances.openExports = async () => {
    looks.push(performance.now());
    looked();
    return [];
  };
  const first = look();
  const { over, wake } = given.start(aborted.signal);
  await first;
  const second = look();
  wake();
  await second;
  await look();
  aborted.abort();
  await over;
  const [one = 0, two = 0, three = 0] = looks;
  assert.ok(two - one < 400, `${two - one} ms after it was woken`);
  assert.ok(three - two > 400, `${three - two} ms without`);
});

killed.run();
