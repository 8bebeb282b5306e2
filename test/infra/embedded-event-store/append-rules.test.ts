import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Expectation } from "../../../infra/embedded-event-store/append-rules.ts";
import { allEvents, streamEvents } from "../../../infra/embedded-event-store/pages.ts";
import { Storage } from "../../../infra/embedded-event-store/storage.ts";
import { storedEventId } from "../../../infra/embedded-event-store/stored-event.ts";
import { type AppendOutcome, Writer } from "../../../infra/embedded-event-store/writer.ts";
import { temporaryDirectory } from "../event-log/event-log-client.ts";

/** A few ids and streams, so that appends meet. */
const IDS = Array.from({ length: 6 }, () => randomUUID());
const STREAMS = ["one", "two"] as const;

type Step =
  | { readonly do: "append"; readonly stream: string; readonly expected: Expectation; readonly ids: readonly string[] }
  | { readonly do: "tombstone"; readonly stream: string; readonly expected: Expectation };

const stream = fc.constantFrom(...STREAMS);
const expected: fc.Arbitrary<Expectation> = fc.oneof(
  fc.constantFrom<Expectation>("any", "no_stream", "stream_exists"),
  fc.nat({ max: 8 }),
);
const ids = fc.array(fc.constantFrom(...IDS), { maxLength: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant("append" as const), stream, expected, ids }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("tombstone" as const), stream, expected }) },
);

/** The append rules of an event store, implemented again over plain lists. */
class Model {
  readonly log: { stream: string; id: string }[] = [];
  readonly closed = new Set<string>();

  run(step: Step): unknown {
    if (this.closed.has(step.stream)) return "closed";
    const there = this.idsOf(step.stream);
    const last = there.length - 1;
    const given = step.do === "append" ? step.ids : [];
    const wanted = step.expected === "no_stream" ? -1 : step.expected;
    if (wanted === "stream_exists" && last < 0) return { wrong: last };
    if (wanted === "any" || wanted === "stream_exists") {
      const revisions = given.map((id) => there.lastIndexOf(id));
      const seen = revisions.findIndex((revision) => revision < 0);
      if (given.length > 0 && seen === -1) return this.done(step.stream, revisions.at(-1) ?? -1);
      if (seen > 0) return { wrong: last };
    } else if (wanted > last) return { wrong: last };
    else if (wanted < last) {
      const following = there.slice(wanted + 1, wanted + 1 + given.length);
      const same = given.length > 0 && given.every((id, index) => following[index] === id);
      return same ? this.done(step.stream, wanted + given.length) : { wrong: last };
    }
    if (step.do === "tombstone") {
      this.closed.add(step.stream);
      this.log.push({ stream: step.stream, id: "tombstone" });
      return { revision: last, position: this.log.length };
    }
    for (const id of given) this.log.push({ stream: step.stream, id });
    if (given.length === 0) return { revision: last, position: this.log.length };
    return this.done(step.stream, last + given.length);
  }

  idsOf(stream: string): string[] {
    return this.log.filter((event) => event.stream === stream && event.id !== "tombstone").map(({ id }) => id);
  }

  private done(stream: string, revision: number): unknown {
    let seen = -1;
    const at = this.log.findIndex((event) => event.stream === stream && ++seen === revision);
    return { revision, position: at + 1 };
  }
}

const rules = suite("append rules");

/** Runs the steps in groups that reach the writer together, and thus share commits. */
async function runAll(writer: Writer, groups: readonly (readonly Step[])[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const group of groups) answers.push(...(await Promise.all(group.map((each) => run(writer, each)))));
  return answers;
}

async function run(writer: Writer, step: Step): Promise<unknown> {
  const empty = Buffer.alloc(0);
  const answer: AppendOutcome =
    step.do === "tombstone"
      ? await writer.tombstone(step.stream, step.expected, randomUUID())
      : await writer.append(
          step.stream,
          step.expected,
          step.ids.map((id) => ({ id, type: "Thing", isJson: true, data: empty, metadata: empty })),
        );
  if (answer.kind === "stream_closed") return "closed";
  if (answer.kind === "wrong_expected_revision") return { wrong: answer.lastRevision };
  return { revision: answer.revision, position: answer.position };
}

const storedIds = (pages: Iterable<readonly { readonly bytes: Buffer }[]>) =>
  [...pages].flat().map(({ bytes }) => storedEventId(bytes));

rules("hold for any appends, in their own and in shared commits, and after a restart", async () => {
  const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(groups, groups, async (before, after) => {
      const directory = temporaryDirectory();
      const model = new Model();
      let storage = new Storage(directory.path);
      try {
        for (const part of [before, after]) {
          const answers = await runAll(new Writer(storage, { hasRoomFor: () => true }, () => {}), part);
          assert.equal(
            answers,
            part.flat().map((each) => model.run(each)),
          );
          await storage.close();
          storage = new Storage(directory.path);
        }
        const whole = { from: 1, backwards: false, count: Number.POSITIVE_INFINITY };
        const log = storedIds(allEvents(storage, storage.head, whole));
        assert.equal(
          log.map((id, index) => (model.log[index]?.id === "tombstone" ? "tombstone" : id)),
          model.log.map(({ id }) => id),
        );
        for (const name of STREAMS) {
          const state = storage.stream(name);
          const found = state ? storedIds(streamEvents(storage, state, { ...whole, from: 0 })) : [];
          assert.equal(found, model.idsOf(name));
          const down = state
            ? storedIds(streamEvents(storage, state, { ...whole, from: Infinity, backwards: true }))
            : [];
          assert.equal(down, model.idsOf(name).toReversed());
        }
      } finally {
        await storage.close();
        await directory.remove();
      }
    }),
    { numRuns: 150, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  );
});

rules.run();
