import { suite } from "uvu";
import * as assert from "uvu/assert";
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

exporter("waits anew when it is started anew", async () => {
  const { advance } = clock();
  const reportId = await given.requested();
  let rounds = 0;
  given.circumstances.factsHavePassed = () => {
    rounds += 1;
    return false;
  };
  await given.runUntil(() => rounds > 2);
  advance(59_000);
  rounds = 0;
  await given.runUntil(() => rounds > 2);
  advance(59_000);
  rounds = 0;
  await given.runUntil(() => rounds > 2);
  assert.equal(await given.typesOf(reportId), ["ExportRequested"]);
});

exporter("tries again what cannot be read, a second later", async () => {
  const { advance } = clock();
  const reportId = await given.requested();
  const triedAt: number[] = [];
  const since = given.circumstances.now();
  given.circumstances.describe = async () => {
    if (triedAt.push(given.circumstances.now() - since) < 3) throw new Error("the database went away");
    return file;
  };
  const { openExports } = given.circumstances;
  let looks = 0;
  given.circumstances.openExports = async () => {
    looks += 1;
    return openExports();
  };
  await given.runUntil(() => {
    if (triedAt.length === given.failures.length && triedAt.length > 0 && looks > 5) {
      looks = 0;
      advance(triedAt.length === 1 ? 1_000 : 999);
    }
    return given.isEnded(reportId);
  });
  assert.equal(triedAt, [0, 1_000, 2_998]);
  assert.equal(await given.typesOf(reportId), ["ExportRequested", "ExportCompleted"]);
  assert.equal(
    given.failures.map(([failure, id]) => [String(failure), id]),
    [
      ["Error: the database went away", reportId],
      ["Error: the database went away", reportId],
    ],
  );
});

exporter("gives up what cannot be read for 60 s", async () => {
  const { advance } = clock();
  const reportId = await given.requested();
  given.circumstances.describe = async () => {
    throw new Error("a row that nobody can read");
  };
  const steps = [59_999, 1_000];
  await given.runUntil(async () => {
    const isNext = given.failures.length === 3 - steps.length;
    if (isNext) {
      assert.equal(await given.typesOf(reportId), ["ExportRequested"]);
      advance(steps.shift() ?? 0);
    }
    return given.isEnded(reportId);
  });
  const end = { reportId, reason: "internal_error", endedAt: "2026-03-31T12:01:00.999Z" };
  assert.equal(await endOf(reportId), { type: "ExportFailed", data: end });
  assert.is(given.failures.length, 2);
});

exporter("reads others while one waits to be tried again", async () => {
  clock();
  const [poisoned, sound] = [await given.requested(1), await given.requested(1)];
  given.circumstances.describe = async ({ reportId }) => {
    if (reportId === poisoned) throw new Error("a row that nobody can read");
    return file;
  };
  await given.runUntil(() => given.isEnded(sound));
  assert.equal(await given.typesOf(poisoned), ["ExportRequested"]);
  assert.is(given.failures.length, 1);
});

exporter("goes on when its to-do list cannot be read", async () => {
  const reportId = await given.requested();
  const { openExports } = given.circumstances;
  let looks = 0;
  given.circumstances.openExports = async () => {
    looks += 1;
    if (looks === 1) throw new Error("the database went away");
    return openExports();
  };
  await given.runUntil(() => given.isEnded(reportId));
  assert.equal(
    given.failures.map(([failure, id]) => [String(failure), id]),
    [["Error: the database went away", null]],
  );
});

exporter("does not read again what has ended while its list still shows it", async () => {
  const reportId = await given.requested();
  const list = await given.circumstances.openExports();
  let looks = 0;
  given.circumstances.openExports = async () => {
    looks += 1;
    return list;
  };
  let reads = 0;
  given.circumstances.describe = async () => {
    reads += 1;
    return file;
  };
  await given.runUntil(() => given.isEnded(reportId));
  const atEnd = looks;
  assert.is(reads, 1);
  reads = 0;
  let ended = 0;
  await given.runUntil(() => {
    // Started anew it reads once more, and records nothing.
    if (ended === 0 && reads === 1) ended = looks;
    return ended > 0 && looks > ended + 3;
  });
  assert.ok(looks > atEnd);
  assert.is(reads, 1);
  assert.equal(await given.typesOf(reportId), ["ExportRequested", "ExportCompleted"]);
});

exporter.run();
