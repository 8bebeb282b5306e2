import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type OpenUpload, uploadCompletion, uploadIngest } from "../../../commands/uploads/upload-reactors.ts";
import {
  createUploadValidator,
  type UploadToValidate,
  type Validation,
} from "../../../commands/uploads/validate-upload.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { DomainEvent } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { uploadStream } from "../../../domain/streams.ts";
import type {
  UploadEvent,
  UploadedRow,
  UploadFailed,
  UploadReceived,
  UploadRejected,
} from "../../../domain/uploads/events.ts";
import { isRowsStaged } from "../../../domain/uploads/upload-kinds.ts";
import type { UploadStatus } from "../../../domain/uploads/upload-record.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { shop } from "../../examples/app.ts";
import { adSpendFile, fullAdSpendFile, metricFile } from "../../examples/upload-files.ts";
import { anUpload, internalError, uploadId } from "../../examples/uploads.ts";
import { startLog } from "../../projections/engine/stores.ts";
import { awakeReactor, testRuntime } from "../reactors/test-runtime.ts";
import { receiveUpload } from "./receive.ts";

type Upload = OpenUpload & UploadToValidate;

const stores = await startLog();
const { log } = stores;
const processedAt = "2026-04-01T02:00:00.000Z";
const statuses: { readonly [type: string]: UploadStatus } = {
  UploadReceived: "uploaded",
  UploadValidated: "validated",
  UploadIngested: "ingested",
  UploadSucceeded: "succeeded",
  UploadRejected: "failed",
  UploadFailed: "failed",
};

const usual = {
  log,
  validate: createUploadValidator({ log, channels: async () => [], timezoneOf: async () => shop.timezone }),
  factsHavePassed: async (_position: bigint) => true,
  now: () => new Date(processedAt),
};
/** What the pipeline runs on; each test changes what it is about. */
const circumstances = { ...usual };
let last = 0;
/** Numbers of the uploads of a test. */
let numbers: number[] = [];

/** Events that were read before, by the number of the upload: polling reads only what is new. */
const known = new Map<number, readonly RecordedEvent<UploadEvent>[]>();
async function recorded(number: number): Promise<readonly RecordedEvent<UploadEvent>[]> {
  const events = [...(known.get(number) ?? [])];
  for await (const event of log.read(uploadStream(uploadId(number)), BigInt(events.length))) events.push(event);
  known.set(number, events);
  return events;
}
const types = async (number: number) => (await recorded(number)).map(({ type }) => type);
const isEnded = async (number: number): Promise<boolean> => {
  const status = statuses[(await types(number)).at(-1) ?? ""];
  return status === "succeeded" || status === "failed";
};
async function openUploads(max: number): Promise<readonly Upload[]> {
  const uploads = await Promise.all(
    numbers.map(async (number) => {
      const events = await recorded(number);
      const { receivedAt, ...received } = (events[0] as UploadReceived).data;
      const ingested = events.find(({ type }) => type === "UploadIngested");
      const status = events.flatMap(({ type }) => statuses[type] ?? []).at(-1) ?? "uploaded";
      const ingestedPosition = ingested?.position.commit ?? null;
      return { ...received, receivedAt: new Date(receivedAt), status, ingestedPosition };
    }),
  );
  return uploads.filter(({ status }) => status !== "succeeded" && status !== "failed").slice(0, max);
}
const { failures, ...runtime } = testRuntime(() => circumstances.now());
const reactors = () => {
  const deps = {
    log: circumstances.log,
    openUploads,
    validate: (upload: Upload) => circumstances.validate(upload),
    factsHavePassed: (position: bigint) => circumstances.factsHavePassed(position),
    now: () => circumstances.now(),
  };
  return [uploadIngest<Upload>(deps), uploadCompletion<Upload>(deps)] as const;
};
/** Lets a pipeline that is started anew run until `condition` holds. */
const runUntil = (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const [ingest, completion] = reactors();
  return runtime.runUntil([awakeReactor(ingest), awakeReactor(completion)], condition);
};
const runUntilEnded = (...ended: readonly number[]): Promise<void> =>
  runUntil(async () => (await Promise.all(ended.map(isEnded))).every((isOver) => isOver));

const minute = 60_000;
/** Lets the pipeline run until uploads have ended; two minutes pass after each failure. */
const runThroughFailures = async (...ended: readonly number[]): Promise<void> => {
  let now = Date.parse(processedAt);
  circumstances.now = () => new Date(now);
  await runUntil(async () => {
    now = Date.parse(processedAt) + failures.length * 2 * minute;
    return (await Promise.all(ended.map(isEnded))).every((isOver) => isOver);
  });
};

/** Receives an upload of the file; returns its number. */
async function receive(file: string, more: Partial<UploadReceived["data"]> = {}): Promise<number> {
  last += 1;
  await receiveUpload(stores, last, file, more);
  numbers.push(last);
  return last;
}
/** The events after the receipt, once the upload has ended. */
async function outcomeOf(number: number): Promise<readonly DomainEvent[]> {
  await runUntilEnded(number);
  return (await recorded(number)).slice(1).map(({ type, data }) => ({ type, data }));
}
const changeAppend = (append: EventLog["append"]): void => {
  circumstances.log = { ...log, append };
};
const oneRow = (campaign: string): string => adSpendFile(`2026-03-31,partner,${campaign},1,1,1`);
const steps = (staged: string): readonly string[] => [
  ...["UploadReceived", "UploadValidated", staged, "UploadIngested", "UploadSucceeded"],
];

const uploads = suite("the upload pipeline");
const retries = suite("an upload that cannot be processed");
for (const tests of [uploads, retries]) {
  tests.before.each(() => {
    Object.assign(circumstances, usual);
    failures.length = 0;
    numbers = [];
  });
}

uploads("brings the rows of a valid file into the log", async () => {
  const upload = await receive(adSpendFile("2026-03-31,partner,one,100,10,1.50", "2026-03-31,Google Ads,one,7,0,0"));
  const requestId = uploadId(upload);
  const common = { date: "2026-03-31", campaignParams: { campaign: "one" }, publisher: {}, currency: "USD" };
  const partner = { channel: "partner", channelType: "custom", impressions: 100, clicks: 10, cost: "1.50" };
  const google = { channel: "google.adwords", channelType: "integrated", impressions: 7, clicks: 0, cost: "0" };
  const channels = [{ name: "google.adwords", displayName: "Google Ads", type: "integrated" }];
  const rows = [
    { row: 2, ...common, ...partner },
    { row: 3, ...common, ...google },
  ];
  assert.equal(await outcomeOf(upload), [
    { type: "UploadValidated", data: { requestId, rows: 2, channels, validatedAt: processedAt } },
    { type: "SpendRowsStaged", data: { requestId, appId: 1, rows } },
    { type: "UploadIngested", data: { requestId, appId: 1, kind: "ad_spend", rows: 2, ingestedAt: processedAt } },
    { type: "UploadSucceeded", data: { requestId, succeededAt: processedAt } },
  ]);
  assert.equal(failures, []);
  const ids = { requestId, correlationId: requestId, causationId: requestId };
  for (const { metadata } of (await recorded(upload)).slice(1)) {
    const actor = { kind: "reactor", name: "uploads" };
    assert.equal(metadata, { actor, ...ids, schemaVersion: 1, occurredAt: processedAt });
  }
});

uploads("rejects an invalid file with every fault by column", async () => {
  const upload = await receive(adSpendFile("2026-02-30,partner,wrong,100,10,1.50", "2026-03-31,,wrong,-1,10,1.50"));
  const [rejected, ...others] = await outcomeOf(upload);
  const { faults, ...rest } = (rejected as UploadRejected).data;
  assert.equal([rejected?.type, others], ["UploadRejected", []]);
  assert.equal(rest, { requestId: uploadId(upload), rejectedAt: processedAt });
  assert.equal(faults.flatMap(({ path }) => path).sort(), ["channel", "date", "impressions"]);
});

uploads("does the same for metrics and for legacy cost", async () => {
  const one = await receive(metricFile("2026-03-31,partner,Store visits,12.5"), { kind: "metric" });
  const two = await receive(oneRow("legacy"), { kind: "legacy_cost" });
  await runUntilEnded(one, two);
  assert.equal([await types(one), await types(two)], [steps("MetricRowsStaged"), steps("SpendRowsStaged")]);
});

uploads("validates by the local date of receipt, however late", async () => {
  const file = adSpendFile("2026-04-01,partner,today,1,1,1");
  const one = await receive(file, { receivedAt: "2026-03-31T14:59:59.999Z" });
  const two = await receive(file, { receivedAt: "2026-03-31T15:00:00.000Z" });
  await runUntilEnded(one, two);
  assert.equal([(await types(one)).at(-1), (await types(two)).at(-1)], ["UploadRejected", "UploadSucceeded"]);
});

uploads("resumes where a stream ends, and reads it once", async () => {
  const file = fullAdSpendFile("resumed", 600);
  const first = await receive(file);
  const whole = await outcomeOf(first);
  const eventsOf = (number: number, events = whole): readonly DomainEvent[] =>
    events.map(({ type, data }) => ({ type, data: { ...(data as object), requestId: uploadId(number) } }));
  const staged = whole.flatMap(({ type, data }) =>
    type === "SpendRowsStaged" ? [(data as { rows: readonly { row: number }[] }).rows] : [],
  );
  assert.ok(staged.length > 2);
  assert.equal(
    staged.flat().map(({ row }) => row),
    Array.from({ length: 600 }, (_, index) => index + 2),
  );
  for (const done of whole.slice(0, -1).keys()) {
    const upload = await receive(file);
    const stream = uploadStream(uploadId(upload));
    for (const step of eventsOf(upload, whole.slice(0, done))) await stores.append(stream, step);
    let reads = 0;
    circumstances.log = {
      ...log,
      read: (name, from) => {
        if (name === stream) reads += 1;
        return log.read(name, from);
      },
    };
    assert.equal(await outcomeOf(upload), eventsOf(upload));
    assert.is(reads, 1, `after ${done} steps`);
  }
  assert.equal(failures, []);
});

const google: ChannelProfile = { ...customChannel("google.adwords"), displayName: "Google" };
const billboards: ChannelProfile = { ...customChannel("billboards"), displayName: "Billboards", type: "integrated" };
const validateWith = (...channels: readonly ChannelProfile[]): void => {
  const deps = { log, channels: async () => channels, timezoneOf: async () => shop.timezone };
  circumstances.validate = createUploadValidator(deps);
};
/** The channels of an upload's rows, with their types. */
const channelsOf = async (number: number): Promise<readonly string[]> => {
  const rows = (await recorded(number)).flatMap((event): readonly UploadedRow[] =>
    isRowsStaged(event) ? event.data.rows : [],
  );
  return [...new Set(rows.map(({ channel, channelType }) => `${channel} ${channelType}`))];
};
/** Lets the pipeline run until an upload has one chunk in the log, and no further one. */
const stageOneChunk = async (number: number): Promise<void> => {
  let chunks = 0;
  changeAppend(async (stream, expected, events) => {
    if (events[0]?.type === "SpendRowsStaged" && ++chunks > 1) throw new Error("the process is killed");
    return log.append(stream, expected, events);
  });
  await runUntil(() => failures.length > 0);
  assert.equal(await types(number), ["UploadReceived", "UploadValidated", "SpendRowsStaged"]);
  circumstances.log = log;
};

for (const [what, kind, text, before, after, channel] of [
  ["registered", "ad_spend", "Billboards", [], [billboards], "Billboards custom"],
  ["changed", "ad_spend", "Billboards", [billboards], [{ ...billboards, displayName: "B" }], "billboards integrated"],
  ["named again as it is built in", "ad_spend", "Google Ads", [google], [], "Google Ads custom"],
  ["cost integrated", "legacy_cost", "b", [], [{ ...customChannel("b"), costIntegrated: true }], "b custom"],
  [
    "no longer without cost integration",
    "legacy_cost",
    "b",
    [customChannel("b")],
    [{ ...customChannel("b"), costIntegrated: true }],
    "b custom",
  ],
] as const) {
  uploads(`resumes with the channels of its validation when one is ${what} meanwhile`, async () => {
    validateWith(...before);
    const upload = await receive(fullAdSpendFile("resolved", 400).replaceAll("partner", text), { kind });
    await stageOneChunk(upload);
    validateWith(...after);
    await runUntilEnded(upload);
    assert.equal([(await types(upload)).at(-1), await channelsOf(upload)], ["UploadSucceeded", [channel]]);
  });
}

uploads("has the channels with which another process has accepted it meanwhile", async () => {
  validateWith(billboards);
  const upload = await receive(adSpendFile("2026-03-31,Billboards,one,1,1,1"));
  let isOvertaken = false;
  changeAppend(async (stream, expected, events) => {
    const [event] = events;
    if (event?.type === "UploadValidated" && !isOvertaken) {
      isOvertaken = true;
      const data = { ...(event.data as object), channels: [] };
      await log.append(stream, expected, [{ ...event, data, id: uploadId(1_001) }]);
    }
    return log.append(stream, expected, events);
  });
  await runThroughFailures(upload);
  assert.equal([isOvertaken, await channelsOf(upload)], [true, ["Billboards custom"]]);
});

uploads("continues after what another writer has appended meanwhile", async () => {
  const upload = await receive(fullAdSpendFile("overtaken", 400));
  let isOvertaken = false;
  changeAppend(async (stream, expected, events) => {
    const [event] = events;
    if (event?.type === "SpendRowsStaged" && !isOvertaken) {
      isOvertaken = true;
      // The same chunk under another id, as of a process that has lost its role.
      await log.append(stream, expected, [{ ...event, id: uploadId(1_000) }]);
    }
    return log.append(stream, expected, events);
  });
  const staged = (await outcomeOf(upload)).filter(({ type }) => type === "SpendRowsStaged");
  const rows = staged.flatMap(({ data }) => (data as { rows: readonly { row: number }[] }).rows);
  assert.equal([isOvertaken, rows.length, new Set(rows.map(({ row }) => row)).size, failures], [true, 400, 400, []]);
});

uploads("repeats an append whose response was lost, with one effect", async () => {
  const upload = await receive(oneRow("lost"));
  const lost = new Set<string>();
  changeAppend(async (stream, expected, events) => {
    const appended = await log.append(stream, expected, events);
    const type = events[0]?.type ?? "";
    if (lost.has(type)) return appended;
    lost.add(type);
    throw new Error("no response in time");
  });
  await runThroughFailures(upload);
  assert.equal([await types(upload), [...lost]], [steps("SpendRowsStaged"), steps("SpendRowsStaged").slice(1)]);
});

uploads("records success once the facts have passed the rows", async () => {
  const upload = await receive(oneRow("waits"));
  let queries = 0;
  circumstances.factsHavePassed = async () => {
    queries += 1;
    return false;
  };
  await runUntil(() => queries > 3);
  assert.is((await types(upload)).at(-1), "UploadIngested");
  circumstances.factsHavePassed = usual.factsHavePassed;
  await runUntilEnded(upload);
  assert.equal(await types(upload), steps("SpendRowsStaged"));
});

uploads("ingests uploads that replace each other's rows one after the other", () => {
  const [{ laneOf, limits }] = reactors();
  const lane = (appId: number, kind: UploadToValidate["kind"]) => laneOf?.({ appId, kind } as Upload);
  assert.is(lane(1, "legacy_cost"), lane(1, "ad_spend"));
  assert.is(new Set([lane(1, "ad_spend"), lane(1, "metric"), lane(2, "ad_spend")]).size, 3);
  assert.is(limits.maxConcurrent, 2);
});

retries.after(() => stores.close());

retries("is given up after 10 failures over 10 minutes, and never once its rows are in force", () => {
  const [ingest, completion] = reactors();
  const { giveUp, ...pauses } = ingest.retry;
  assert.equal(giveUp, { failures: 10, afterMs: 10 * minute });
  assert.equal(completion.retry, { ...pauses, giveUp: null });
});

retries("fails with an internal error when it is given up, also once it was validated", async () => {
  const one = await receive(oneRow("unreadable"));
  circumstances.validate = async (): Promise<Validation> => {
    throw new Error("the database refuses");
  };
  await runThroughFailures(one);
  const [, event, ...others] = await recorded(one);
  const { failedAt: __, ...rest } = (event as UploadFailed).data;
  assert.equal([event?.type, rest, others], ["UploadFailed", { requestId: uploadId(one), faults: internalError }, []]);
  assert.is(failures.length, 10);

  failures.length = 0;
  circumstances.validate = usual.validate;
  const two = await receive(oneRow("unstageable"));
  changeAppend(async (stream, expected, events) => {
    if (events[0]?.type === "SpendRowsStaged") throw new Error("the log refuses these rows");
    return log.append(stream, expected, events);
  });
  await runThroughFailures(two);
  assert.equal((await types(two)).slice(1), ["UploadValidated", "UploadFailed"]);
});

retries("is not given up while the log is unavailable, however long", async () => {
  const upload = await receive(oneRow("patient"));
  let attempts = 0;
  circumstances.validate = (upload) => {
    attempts += 1;
    return usual.validate(upload);
  };
  changeAppend(async (...append) => {
    if (attempts <= 30) throw new Error("the log is unavailable");
    return log.append(...append);
  });
  await runThroughFailures(upload);
  assert.equal(await types(upload), steps("SpendRowsStaged"));
});

retries("fails when its file is damaged, or no longer has the rows that were accepted", async () => {
  const damaged = await receive(oneRow("damaged"), { sha256: "00".repeat(32) });
  const changed = await receive(oneRow("changed"));
  await stores.append(uploadStream(uploadId(changed)), anUpload(changed).validated);
  await runThroughFailures(damaged, changed);
  assert.equal((await types(damaged)).slice(1), ["UploadFailed"]);
  assert.equal((await types(changed)).slice(1), ["UploadValidated", "UploadFailed"]);
  const names = new Set(failures.map(([failure]) => (failure as Error).name));
  assert.equal([...names].sort(), ["FileDamaged", "ValidationChanged"]);
});

uploads.run();
retries.run();
