import { suite } from "uvu";
import * as assert from "uvu/assert";
import { touchpointRecorder } from "../../../commands/touchpoints/touchpoint-recorder.ts";
import type { LogPosition } from "../../../domain/event.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { metadata } from "../../infra/event-log/event-log-client.ts";

const appId = 7;
const click = { id: exampleUuid("click", 1), ...aClick(), metadata };
const position: LogPosition = { commit: 5n, prepare: 5n };
type Appended = { readonly position: LogPosition | null };

const visits = suite("a visit that is recorded");

visits("goes to its app's journal of touchpoints, as it is", async () => {
  const { record, log, appended } = given();
  const recorded = record(appId, click);
  log.takes({ position });
  await recorded;
  assert.equal(appended, [{ category: "touchpoints", appId, event: click }]);
});

visits("gets its response when it is in the log, or in the spool", async () => {
  for (const stored of [position, null]) {
    const { record, log, lost } = given();
    const recorded = record(appId, click);
    log.takes({ position: stored });
    assert.equal([await recorded, lost], [undefined, []]);
  }
});

visits("gets its response and is reported as lost when the spool is full", async () => {
  const { record, log, lost } = given();
  const recorded = record(appId, click);
  const full = new Error("The spool is full");
  log.refuses(full);
  assert.equal([await recorded, lost], [undefined, [full]]);
});

visits("waits for at most two seconds for a disk that does not respond", async () => {
  const { record, lost, waits } = given();
  const recorded = record(appId, click);
  assert.equal(
    waits.map(({ milliseconds }) => milliseconds),
    [2_000],
  );
  waits[0]?.end();
  assert.equal([await recorded, lost], [undefined, []]);
});

visits("whose response was sent early is reported as lost only if it is rejected later", async () => {
  const refused = given();
  const early = refused.record(appId, click);
  refused.waits[0]?.end();
  assert.equal([await early, refused.lost], [undefined, []]);
  const full = new Error("The spool is full");
  refused.log.refuses(full);
  await refused.settled();
  assert.equal(refused.lost, [full]);

  const taken = given();
  const late = taken.record(appId, click);
  taken.waits[0]?.end();
  await late;
  taken.log.takes({ position });
  await taken.settled();
  assert.equal(taken.lost, []);
});

visits.run();

/** A recorder over a journal whose append the test resolves or rejects, and the timers that it has set. */
function given() {
  let takes: (answer: Appended) => void = () => {};
  let refuses: (reason: unknown) => void = () => {};
  const answer = new Promise<Appended>((resolve, reject) => {
    [takes, refuses] = [resolve, reject];
  });
  const appended: object[] = [];
  const append = (journal: object, event: object) => {
    appended.push({ ...journal, event });
    return answer;
  };
  const lost: unknown[] = [];
  const waits: { readonly milliseconds: number; readonly end: () => void }[] = [];
  const wait = (action: () => void, milliseconds: number) => waits.push({ milliseconds, end: action });
  const record = touchpointRecorder({ append }, (reason) => lost.push(reason));
  return {
    record: (...visit: Parameters<typeof record>) => {
      const { setTimeout } = globalThis;
      globalThis.setTimeout = wait as unknown as typeof setTimeout;
      try {
        return record(...visit);
      } finally {
        globalThis.setTimeout = setTimeout;
      }
    },
    log: { takes, refuses },
    settled: () => answer.catch(() => null),
    appended,
    lost,
    waits,
  };
}
