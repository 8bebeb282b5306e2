import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventMetadata } from "../../../commands/metadata.ts";
import { placeOf } from "../../../domain/raw-exports/report-id.ts";
import { rawExportsStream } from "../../../domain/streams.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { file, type GivenExporter, givenExporter } from "./given-exporter.ts";

let given: GivenExporter;
const exporter = suite("the exporter");
exporter.before(async () => {
  given = await givenExporter();
});
exporter.before.each(() => given.reset());
exporter.after(() => given.close());

/** A clock that stands still until it is advanced. */
const clock = (): { advance(ms: number): void } => {
  let now = Date.parse("2026-03-31T12:00:00.000Z");
  given.circumstances.now = () => now;
  return {
    advance: (ms) => {
      now += ms;
    },
  };
};
const endOf = async (reportId: number): Promise<unknown> => {
  const [, end, ...more] = await given.events(reportId);
  assert.equal(more, []);
  return end === undefined ? null : { type: end.type, data: end.data };
};

exporter("reads an export and records what its file is", async () => {
  clock();
  const reportId = await given.requested();
  const read: number[] = [];
  given.circumstances.describe = async (one) => {
    read.push(one.reportId);
    return { ...file, resumePoints: [{ offset: 120, after: { at: "2026-03-02T10:00:00.000Z", id: "1" } }] };
  };
  await given.runUntil(() => given.isEnded(reportId));
  assert.equal(read, [reportId]);
  assert.equal(await endOf(reportId), {
    type: "ExportCompleted",
    data: {
      reportId,
      ...file,
      resumePoints: [{ offset: 120, after: { at: "2026-03-02T10:00:00.000Z", id: "1" } }],
      endedAt: "2026-03-31T12:00:00.000Z",
    },
  });
  assert.equal((await given.events(reportId))[1]?.metadata.actor, { kind: "reactor", name: "exporter" });
  assert.equal(given.failures, []);
});

exporter("waits until the facts have passed the position of the request", async () => {
  const reportId = await given.requested();
  const [requested] = await given.events(reportId);
  const asked: bigint[] = [];
  given.circumstances.factsHavePassed = (position) => asked.push(position) > 3;
  let passed = 0;
  given.circumstances.describe = async () => {
    passed = asked.length;
    return file;
  };
  await given.runUntil(() => given.isEnded(reportId));
  assert.is(passed, 4);
  assert.ok(asked.every((position) => position === requested?.position.commit));
});

exporter("waits for decisions of its app up to the position, while others go on", async () => {
  const [undecided, other] = [await given.requested(1), await given.requested(2)];
  const [requested] = await given.events(undecided);
  let isDecided = false;
  const asked = new Set<string>();
  given.circumstances.hasUndecided = (appId, position) => {
    asked.add(`${appId} ${position}`);
    return appId === 1 && !isDecided;
  };
  await given.runUntil(() => given.isEnded(other));
  assert.equal(await given.typesOf(undecided), ["ExportRequested"]);
  assert.ok(asked.has(`1 ${requested?.position.commit}`));
  isDecided = true;
  await given.runUntil(() => given.isEnded(undecided));
  assert.equal(await given.typesOf(undecided), ["ExportRequested", "ExportCompleted"]);
});

for (const what of ["the facts", "decisions"]) {
  exporter(`fails an export that has waited 60 s for ${what}, and not before`, async () => {
    const { advance } = clock();
    const reportId = await given.requested();
    let rounds = 0;
    const behind = (answer: boolean) => () => {
      rounds += 1;
      return answer;
    };
    if (what === "the facts") given.circumstances.factsHavePassed = behind(false);
    else given.circumstances.hasUndecided = behind(true);
    const step = ["wait", "advance", "wait", "advance"];
    await given.runUntil(async () => {
      if (rounds > 2 && step.length > 0) {
        rounds = 0;
        if (step.shift() === "advance") advance(step.length > 0 ? 59_999 : 1);
        else assert.equal(await given.typesOf(reportId), ["ExportRequested"]);
      }
      return given.isEnded(reportId);
    });
    assert.equal(step, []);
    const end = { reportId, reason: "facts_behind", endedAt: "2026-03-31T12:01:00.000Z" };
    assert.equal(await endOf(reportId), { type: "ExportFailed", data: end });
    assert.equal(given.failures, []);
  });
}

exporter("gives up what cannot be read for 60 s", async () => {
  const { advance } = clock();
  const reportId = await given.requested();
  given.circumstances.describe = async () => {
    throw new Error("a row that nobody can read");
  };
  const steps = [59_999, 1_000];
  await given.runUntil(async () => {
    const isNext = steps.length > 0 && given.failures.length === 3 - steps.length;
    if (isNext) {
      assert.equal(await given.typesOf(reportId), ["ExportRequested"]);
      advance(steps.shift() ?? 0);
    }
    return given.isEnded(reportId);
  });
  const end = { reportId, reason: "internal_error", endedAt: "2026-03-31T12:01:00.999Z" };
  assert.equal(await endOf(reportId), { type: "ExportFailed", data: end });
  assert.is(given.failures.length, 3);
});

exporter.run();

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
  const list = [{ reportId, appId: 1, position: before[0]?.position.commit ?? 0n, now: new Date() }];
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

killed("stops reading at once, and records nothing", async () => {
  const reportId = await given.requested();
  let [isReading, isStopped] = [false, false];
  given.circumstances.describe = (_one, stopping) =>
    new Promise((_resolve, reject) => {
      isReading = true;
      stopping.addEventListener("abort", () => {
        isStopped = true;
        reject(stopping.reason);
      });
    });
  await given.runUntil(() => isReading);
  assert.equal([isStopped, given.failures], [true, []]);
  assert.equal(await given.typesOf(reportId), ["ExportRequested"]);
});

killed.run();
