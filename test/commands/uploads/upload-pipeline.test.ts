import { suite } from "uvu";
import * as assert from "uvu/assert";
import { chunkLimit } from "../../../commands/uploads/staged-chunks.ts";
import type { DomainEvent } from "../../../domain/event.ts";
import { channelStream, uploadStream } from "../../../domain/streams.ts";
import type { UploadEvent, UploadRejected } from "../../../domain/uploads/events.ts";
import { adSpendFile, longAdSpendFile, metricFile } from "../../examples/upload-files.ts";
import { uploadId } from "../../examples/uploads.ts";
import { type Pipeline, processedAt, startPipeline } from "./pipeline.ts";

let pipeline: Pipeline;
let last = 0;
/** The number of an upload that no other test has. */
const fresh = (): number => {
  last += 1;
  return last;
};
const uploads = suite("the upload pipeline");
uploads.before(async () => {
  pipeline = await startPipeline();
});
uploads.before.each(() => pipeline.calm());
uploads.after(() => pipeline.close());

/** What is recorded after the receipt, to the end. */
const outcome = async (number: number): Promise<readonly DomainEvent[]> => {
  await pipeline.runUntilEnded(number);
  return (await pipeline.events(number)).slice(1);
};
const asOf = (number: number, events: readonly DomainEvent[]): readonly DomainEvent[] =>
  events.map(({ type, data }) => ({ type, data: { ...(data as object), requestId: uploadId(number) } }));
const succeeding = (staged: string): readonly string[] => [
  "UploadReceived",
  "UploadValidated",
  staged,
  "UploadIngested",
  "UploadSucceeded",
];

uploads("brings a file's rows into the log and into the facts, then says so", async () => {
  const one = fresh();
  await pipeline.receive(one, adSpendFile("2026-03-31,partner,one,100,10,1.50", "2026-03-31,Google Ads,one,7,0,0"));
  const requestId = uploadId(one);
  const common = { date: "2026-03-31", campaignParams: { campaign: "one" }, publisher: {}, currency: "USD" };
  const partner = { channel: "partner", channelType: "custom", impressions: 100, clicks: 10, cost: "1.50" };
  const google = { channel: "google.adwords", channelType: "integrated", impressions: 7, clicks: 0, cost: "0" };
  const rows = [
    { row: 2, ...common, ...partner },
    { row: 3, ...common, ...google },
  ];
  assert.equal(await outcome(one), [
    { type: "UploadValidated", data: { requestId, rows: 2, validatedAt: processedAt } },
    { type: "SpendRowsStaged", data: { requestId, appId: 1, rows } },
    { type: "UploadIngested", data: { requestId, appId: 1, kind: "ad_spend", rows: 2, ingestedAt: processedAt } },
    { type: "UploadSucceeded", data: { requestId, succeededAt: processedAt } },
  ]);
  assert.equal(await pipeline.sums("one"), [
    { channel: "google.adwords", impressions: 7, clicks: 0, cost: "0" },
    { channel: "partner", impressions: 100, clicks: 10, cost: "1.50" },
  ]);
  assert.equal(pipeline.failures, []);
});

uploads("signs what it records", async () => {
  const one = fresh();
  await pipeline.receive(one, adSpendFile("2026-03-31,partner,signed,100,10,1.50"));
  await pipeline.runUntilEnded(one);
  const recorded = await pipeline.stores.log.readBackwards(uploadStream(uploadId(one)), 4);
  for (const { metadata } of recorded) {
    assert.equal(metadata, {
      actor: { kind: "reactor", name: "uploads" },
      requestId: uploadId(one),
      correlationId: uploadId(one),
      causationId: uploadId(one),
      schemaVersion: 1,
      occurredAt: processedAt,
    });
  }
  assert.is(new Set(recorded.map(({ id }) => id)).size, 4);
});

uploads("rejects a file that breaks rules, with every fault by column", async () => {
  const one = fresh();
  await pipeline.receive(one, adSpendFile("2026-02-30,partner,wrong,100,10,1.50", "2026-03-31,,wrong,-1,10,1.50"));
  const [rejected, ...others] = await outcome(one);
  assert.equal([rejected?.type, others], ["UploadRejected", []]);
  const { faults, ...rest } = (rejected as UploadRejected).data;
  assert.equal(rest, { requestId: uploadId(one), rejectedAt: processedAt });
  assert.equal(faults.flatMap(({ path }) => path).sort(), ["channel", "date", "impressions"]);
  assert.equal(await pipeline.sums("wrong"), []);
});

uploads("does the same for metrics and for legacy cost", async () => {
  const [one, two] = [fresh(), fresh()];
  await pipeline.receive(one, metricFile("2026-03-31,partner,Store visits,12.5"), { kind: "metric" });
  await pipeline.receive(two, adSpendFile("2026-03-31,partner,legacy,1,1,1"), { kind: "legacy_cost" });
  await pipeline.runUntilEnded(one, two);
  assert.equal(await pipeline.types(one), succeeding("MetricRowsStaged"));
  assert.equal(await pipeline.types(two), succeeding("SpendRowsStaged"));
});

uploads("knows channels by the names that they were registered with", async () => {
  const one = fresh();
  const billboards = { name: "billboards", displayName: "Big Boards", type: "custom" };
  const flags = { selfAttributing: false, costIntegrated: false };
  const data = { ...billboards, ...flags };
  await pipeline.stores.append(channelStream("billboards"), { type: "ChannelRegistered", data });
  await pipeline.receive(one, adSpendFile("2026-03-31,Big Boards,shown,1,1,1"));
  await pipeline.runUntilEnded(one);
  assert.equal(await pipeline.sums("shown"), [{ channel: "billboards", impressions: 1, clicks: 1, cost: "1" }]);
});

uploads("takes the local date of receipt for today, whenever it comes to it", async () => {
  const [one, two] = [fresh(), fresh()];
  const file = adSpendFile("2026-04-01,partner,today,1,1,1");
  await pipeline.receive(one, file, { receivedAt: "2026-03-31T14:59:59.999Z" });
  await pipeline.receive(two, file, { receivedAt: "2026-03-31T15:00:00.000Z" });
  await pipeline.runUntilEnded(one, two);
  assert.is((await pipeline.types(one)).at(-1), "UploadRejected");
  assert.is((await pipeline.types(two)).at(-1), "UploadSucceeded");
});

uploads("stages a large file in chunks under 512 KiB, each row once and in order", async () => {
  const one = fresh();
  await pipeline.receive(one, longAdSpendFile(2_000, 230));
  const events = (await outcome(one)) as readonly UploadEvent[];
  const chunks = events.flatMap((event) => (event.type === "SpendRowsStaged" ? [event.data] : []));
  assert.is(chunks.length > 1, true);
  for (const chunk of chunks) assert.is(Buffer.byteLength(JSON.stringify(chunk)) < chunkLimit, true);
  assert.equal(
    chunks.flatMap(({ rows }) => rows.map(({ row }) => row)),
    Array.from({ length: 2_000 }, (_, index) => index + 2),
  );
});

uploads("goes on exactly where a stream ends, and reads it once", async () => {
  const { log } = pipeline.stores;
  const first = fresh();
  await pipeline.receive(first, longAdSpendFile(3_400, 230));
  const whole = await outcome(first);
  assert.is(whole.filter(({ type }) => type === "SpendRowsStaged").length > 2, true);
  for (const done of whole.slice(0, -1).keys()) {
    // Given what a pipeline had done when it was killed
    const one = fresh();
    await pipeline.receive(one, longAdSpendFile(3_400, 230));
    for (const step of asOf(one, whole.slice(0, done))) {
      await pipeline.stores.append(uploadStream(uploadId(one)), step);
    }
    // When another goes on
    let reads = 0;
    pipeline.circumstances.log = {
      ...log,
      read: (stream, from) => {
        if (stream === uploadStream(uploadId(one))) reads += 1;
        return log.read(stream, from);
      },
    };
    // Then the stream is that of an upload whose pipeline was never killed
    assert.equal(await outcome(one), asOf(one, whole));
    assert.is(reads, 1, `after ${done} steps`);
  }
  assert.equal(pipeline.failures, []);
});

uploads("waits with its last word until reports can see the rows", async () => {
  const one = fresh();
  await pipeline.receive(one, adSpendFile("2026-03-31,partner,waits,1,1,1"));
  let asked = 0;
  pipeline.circumstances.factsHavePassed = async () => {
    asked += 1;
    return false;
  };
  await pipeline.runUntil(async () => asked > 3);
  assert.is((await pipeline.types(one)).at(-1), "UploadIngested");
  pipeline.calm();
  await pipeline.runUntilEnded(one);
  assert.equal(await pipeline.types(one), succeeding("SpendRowsStaged"));
});

uploads("yields to another writer, and goes on after what that one wrote", async () => {
  const { log } = pipeline.stores;
  const [first, one] = [fresh(), fresh()];
  await pipeline.receive(first, longAdSpendFile(3_400, 230));
  const whole = await outcome(first);
  await pipeline.receive(one, longAdSpendFile(3_400, 230));
  let meddled = 0;
  pipeline.circumstances.log = {
    ...log,
    append: async (stream, expected, events) => {
      const [event] = events;
      if (event?.type === "SpendRowsStaged" && meddled === 0) {
        meddled += 1;
        // The same chunk under another id, as a pipeline that has lost its role and does not know yet.
        await log.append(stream, expected, [{ ...event, id: uploadId(1_000) }]);
      }
      return log.append(stream, expected, events);
    },
  };
  assert.equal(await outcome(one), asOf(one, whole));
  assert.is(meddled, 1);
  assert.equal(pipeline.failures, []);
});

uploads("takes an append whose answer was lost for what it was", async () => {
  const { log } = pipeline.stores;
  const one = fresh();
  await pipeline.receive(one, adSpendFile("2026-03-31,partner,unanswered,1,1,1"));
  const lost = new Set<string>();
  pipeline.circumstances.now = () => new Date();
  pipeline.circumstances.log = {
    ...log,
    append: async (stream, expected, events) => {
      const appended = await log.append(stream, expected, events);
      const type = events[0]?.type ?? "";
      if (lost.has(type)) return appended;
      lost.add(type);
      throw new Error("no answer in time");
    },
  };
  await pipeline.runUntil(() => pipeline.isEnded(one));
  assert.equal(await pipeline.types(one), succeeding("SpendRowsStaged"));
  assert.equal([...lost], succeeding("SpendRowsStaged").slice(1));
});

uploads("judges two files at a time; those that replace each other's rows take turns, oldest first", async () => {
  const spend = [fresh(), fresh(), fresh(), fresh()];
  const metrics = [fresh(), fresh()];
  for (const [cost, number] of spend.entries()) {
    const kind = cost === 3 ? "legacy_cost" : "ad_spend";
    await pipeline.receive(number, adSpendFile(`2026-03-31,partner,turns,1,1,${cost}`), { kind });
  }
  for (const number of metrics) {
    await pipeline.receive(number, metricFile("2026-03-31,partner,Store visits,1"), { kind: "metric" });
  }
  const ofAnotherApp = fresh();
  await pipeline.receive(ofAnotherApp, adSpendFile("2026-03-31,partner,turns,1,1,9"), { appId: 2 });
  const underWay: string[] = [];
  const seen: (readonly string[])[] = [];
  const order: string[] = [];
  let meet = (): void => {};
  const twoHaveMet = new Promise<void>((resolve) => {
    meet = resolve;
  });
  pipeline.circumstances.validate = async (upload, really) => {
    const turn = `${upload.kind === "metric" ? "metric" : "spend"} of app ${upload.appId}`;
    underWay.push(turn);
    seen.push([...underWay]);
    if (turn === "spend of app 1") order.push(upload.requestId);
    if (underWay.length === 2) meet();
    await twoHaveMet;
    const judged = await really(upload);
    underWay.splice(underWay.indexOf(turn), 1);
    return judged;
  };
  await pipeline.runUntilEnded(...spend, ...metrics);
  await pipeline.runUntil(() => pipeline.isEnded(ofAnotherApp));
  assert.equal(order, spend.map(uploadId));
  for (const turns of seen) assert.is(turns.length <= 2 && new Set(turns).size === turns.length, true, `${turns}`);
  assert.equal(await pipeline.sums("turns"), [{ channel: "partner", impressions: 1, clicks: 1, cost: "3" }]);
});

uploads.run();
