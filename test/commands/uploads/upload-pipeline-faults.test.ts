import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadStream } from "../../../domain/streams.ts";
import type { UploadFailed } from "../../../domain/uploads/events.ts";
import { adSpendFile } from "../../examples/upload-files.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import type { ReactorFailure } from "../reactors/test-runtime.ts";
import { type Pipeline, startPipeline } from "./pipeline.ts";

const second = 1_000;
const minute = 60 * second;
const file = adSpendFile("2026-03-31,partner,faults,1,1,1");

let pipeline: Pipeline;
let last = 0;
/** The number of an upload that no other test has. */
const fresh = (): number => {
  last += 1;
  return last;
};
let now = 0;
const faults = suite("an upload that cannot be processed");
faults.before(async () => {
  pipeline = await startPipeline();
});
faults.before.each(() => {
  pipeline.calm();
  now = Date.parse("2026-04-01T02:00:00.000Z");
  pipeline.circumstances.now = () => new Date(now);
});
faults.after(() => pipeline.close());

const types = async (number: number): Promise<readonly string[]> => (await pipeline.types(number)).slice(1);
const succeeded = ["UploadValidated", "SpendRowsStaged", "UploadIngested", "UploadSucceeded"];
const internalError = [{ code: "file.internal_error", path: [] }];
const isFailureWith =
  (message: string) =>
  ([failure]: ReactorFailure) =>
    String(failure).includes(message);

/** Lets the pipeline run until `condition` holds; so much time passes after each failure, counted from 0. */
const runThroughFailures = (passing: (failure: number) => number, condition: () => Promise<boolean>): Promise<void> => {
  let seen = 0;
  return pipeline.runUntil(async () => {
    for (; seen < pipeline.failures.length; seen += 1) now += passing(seen);
    pipeline.ring();
    return condition();
  });
};
const twoMinutes = (): number => 2 * minute;
/** Exactly as long as the pipeline waits. */
const noLonger = (failure: number): number => Math.min(2 * minute, second * 2 ** failure);

faults("is tried again after a second, then two, four and so on", async () => {
  const one = fresh();
  await pipeline.receive(one, file);
  const begun = now;
  const attempts: number[] = [];
  pipeline.circumstances.validate = async (upload, really) => {
    attempts.push((now - begun) / second);
    if (attempts.length < 5) throw new Error("the log cannot be read");
    return really(upload);
  };
  await pipeline.runUntil(async () => {
    if (pipeline.failures.length > 0) now += second / 4;
    pipeline.ring();
    return pipeline.isEnded(one);
  });
  assert.equal(await types(one), succeeded);
  const waited = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
  for (const [index, least] of [1, 2, 4, 8].entries()) assert.is((waited[index] ?? 0) >= least, true, `${waited}`);
});

faults("is given up after 10 failures over 10 minutes, with a reason that says so", async () => {
  const one = fresh();
  await pipeline.receive(one, file);
  let attempts = 0;
  pipeline.circumstances.validate = async () => {
    attempts += 1;
    throw new Error("the database refuses");
  };
  const untilTheLast = (failure: number): number => (failure < 8 ? 2 * minute : 0);
  await runThroughFailures(untilTheLast, async () => pipeline.failures.length === 9);
  assert.equal(await types(one), []);
  pipeline.failures.length = 0;
  const untilGivenUp = (failure: number): number => (failure < 9 ? 2 * minute : 0);
  await runThroughFailures(untilGivenUp, () => pipeline.isEnded(one));
  assert.is(attempts, 9 + 10, "a pipeline that was started again begins to count anew");
  const [failed, ...others] = (await pipeline.events(one)).slice(1);
  assert.equal([failed?.type, others], ["UploadFailed", []]);
  const { failedAt, ...rest } = (failed as UploadFailed).data;
  assert.equal(rest, { requestId: uploadId(one), faults: internalError });
  assert.is(Date.parse(failedAt) <= now, true);
});

faults("is not given up before 10 minutes have passed, although it has failed 11 times", async () => {
  const one = fresh();
  await pipeline.receive(one, file);
  const begun = now;
  pipeline.circumstances.validate = async (upload, really) => {
    if (pipeline.failures.length < 11) throw new Error("the database refuses");
    return really(upload);
  };
  await runThroughFailures(noLonger, () => pipeline.isEnded(one));
  assert.equal([await types(one), pipeline.failures.length], [succeeded, 11]);
  assert.is((now - begun) / second, 1 + 2 + 4 + 8 + 16 + 32 + 64 + 4 * 120);
});

faults("is given up where it stands, also once it was validated", async () => {
  const { log } = pipeline.stores;
  const one = fresh();
  await pipeline.receive(one, file);
  pipeline.circumstances.log = {
    ...log,
    append: async (stream, expected, events) => {
      if (events[0]?.type === "SpendRowsStaged") throw new Error("the log refuses these rows");
      return log.append(stream, expected, events);
    },
  };
  await runThroughFailures(twoMinutes, () => pipeline.isEnded(one));
  assert.equal(await types(one), ["UploadValidated", "UploadFailed"]);
});

faults("is not given up for a log that was away, however long", async () => {
  const { log } = pipeline.stores;
  const one = fresh();
  await pipeline.receive(one, file);
  const away = async (): Promise<never> => {
    throw new Error("the log is away");
  };
  pipeline.circumstances.log = { ...log, append: (...append) => (attempts > 30 ? log.append(...append) : away()) };
  let attempts = 0;
  pipeline.circumstances.validate = async (upload, really) => {
    attempts += 1;
    return really(upload);
  };
  await runThroughFailures(twoMinutes, () => pipeline.isEnded(one));
  assert.equal(await types(one), succeeded);
  assert.is(pipeline.failures.every(isFailureWith("the log is away")), true);
});

faults("is never given up once its rows are in force", async () => {
  const { log } = pipeline.stores;
  const one = fresh();
  await pipeline.receive(one, file);
  let attempts = 0;
  pipeline.circumstances.log = {
    ...log,
    append: async (stream, expected, events) => {
      if (events[0]?.type === "UploadSucceeded" && ++attempts < 20) throw new Error("the log refuses");
      return log.append(stream, expected, events);
    },
  };
  await runThroughFailures(twoMinutes, () => pipeline.isEnded(one));
  assert.equal([await types(one), attempts], [succeeded, 20]);
});

faults("does not keep others waiting", async () => {
  const broken = [fresh(), fresh(), fresh()];
  for (const number of broken) await pipeline.receive(number, file);
  const sound = fresh();
  await pipeline.receive(sound, file);
  pipeline.circumstances.validate = async (upload, really) => {
    if (broken.map(uploadId).includes(upload.requestId)) throw new Error("the database refuses this one");
    return really(upload);
  };
  await pipeline.runUntilEnded(sound);
  assert.equal(await types(sound), succeeded);
  for (const number of broken) assert.equal(await types(number), []);
  pipeline.calm();
  await pipeline.runUntilEnded(...broken);
});

faults("has a file that is not the one received, or that is not judged as it was", async () => {
  const [damaged, changed] = [fresh(), fresh()];
  await pipeline.receive(damaged, file, { sha256: "00".repeat(32) });
  await pipeline.receive(changed, file, { kind: "legacy_cost" });
  const { validated } = anUpload(changed);
  await pipeline.stores.append(uploadStream(uploadId(changed)), validated);
  await runThroughFailures(
    twoMinutes,
    async () => (await pipeline.isEnded(damaged)) && (await pipeline.isEnded(changed)),
  );
  assert.equal(await types(damaged), ["UploadFailed"]);
  assert.equal(await types(changed), ["UploadValidated", "UploadFailed"]);
  assert.is(pipeline.failures.some(isFailureWith("FileDamaged")), true);
  assert.is(pipeline.failures.some(isFailureWith("ValidationChanged")), true);
});

faults.run();
