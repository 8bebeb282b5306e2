// time limit: 240 s
import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistryStream } from "../../domain/streams.ts";
import type { UploadKind } from "../../domain/uploads/events.ts";
import { facts } from "../../projections/facts/projection.ts";
import { createReadModels } from "../../projections/read-models.ts";
import { receiveUpload } from "../commands/uploads/receive.ts";
import { startWorker, succeeded } from "../commands/uploads/upload-worker.ts";
import type { Death } from "../commands/uploads/upload-worker-child.ts";
import { shopRegistered } from "../examples/app.ts";
import { fullAdSpendFile, fullMetricFile } from "../examples/upload-files.ts";
import { uploadId } from "../examples/uploads.ts";
import { openStores, type Stores } from "../projections/engine/stores.ts";

/** What the pipeline appends to the stream of one of these uploads. */
const steps = (staged: string) => ["UploadValidated", staged, staged, "UploadIngested", "UploadSucceeded"];
const moments = ["before", "during", "after"] as const;
/** Every place that a worker can be killed at: around each of its steps. */
const places = [1, 2, 3, 4, 5].flatMap((append) => moments.map((moment) => ({ append, moment })));
/** In each life of a worker both uploads are killed, half of the places apart: every place is tried with one kind. */
const half = Math.floor(places.length / 2);
const lives = places.length - half;
const rows = 350;
/** The environment can ask for more lives, which try every place with both kinds. */
const killForMs = Number(process.env.KILL_UPLOADS_FOR_MS ?? 0);
const terminalWithinMs = 60_000;

const test = suite("kill -9 of the worker, between every two steps of an upload");

test("each upload ends within 60 s, each step is in the log once, each row is counted once", async () => {
  const stores = await openStores();
  await stores.append(appRegistryStream, shopRegistered);
  // Given a stand-by, so that a kill does not cost the start of a process
  let standBy = await startWorker(stores);
  const killedAt: number[] = [];
  try {
    // When workers are killed one after the other, each with an upload of spend and one of metrics under way
    for (let life = 0; life < lives || elapsed(killedAt) < killForMs; life += 1) {
      const [spend, metric] = pairOf(life);
      await receiveUpload(stores, spend, fullAdSpendFile(`campaign ${spend}`, rows));
      await receiveUpload(stores, metric, fullMetricFile(`Metric ${metric}`, rows), { kind: "metric" });
      const worker = standBy;
      worker.send([deathOf(spend, life), deathOf(metric, life + half)]);
      const killed = once(worker, "exit", { signal: AbortSignal.timeout(terminalWithinMs) });
      const [next] = await Promise.all([startWorker(stores), killed]);
      assert.is(worker.signalCode, "SIGKILL");
      killedAt.push(Date.now());
      standBy = next;
    }

    // Then the next worker finishes the rest
    standBy.send([]);
    for (const [life, killed] of killedAt.entries()) {
      const [spend, metric] = pairOf(life);
      for (const [number, kind] of [
        [spend, "ad_spend"],
        [metric, "metric"],
      ] as const) {
        const message = `${kind} killed ${JSON.stringify(deathOf(number, kind === "metric" ? life + half : life))}`;
        const { types, at } = await succeeded(stores, number, terminalWithinMs);
        const staged = kind === "metric" ? "MetricRowsStaged" : "SpendRowsStaged";
        assert.equal(types, ["UploadReceived", ...steps(staged)], message);
        assert.is(at - killed < terminalWithinMs, true, message);
        const expected = { rows: BigInt(rows), sum: String(sumOf(rows)), max: 1n };
        assert.equal(await inForce(stores, number, kind), expected, message);
      }
    }
  } finally {
    standBy.kill("SIGKILL");
    await stores.close();
  }
});

const pairOf = (life: number): readonly [number, number] => [2 * life + 1, 2 * life + 2];
const elapsed = (instants: readonly number[]): number => Date.now() - (instants[0] ?? Date.now());
const sumOf = (count: number): number => (count * (count + 1)) / 2;

function deathOf(number: number, life: number): Death {
  const { append, moment } = places[life % places.length] ?? { append: 1, moment: "before" };
  return { requestId: uploadId(number), append, moment };
}

/** Rows of an upload that are in force, the sum of their numbers, and how often one row is there at most. */
async function inForce({ db }: Stores, number: number, kind: UploadKind): Promise<object> {
  const { schema } = await createReadModels(db, [facts]).live("facts");
  const [table, value] = kind === "metric" ? ["uploaded_metrics", "event_value"] : ["spend", "cost"];
  const { rows } = await db.raw(
    `select count(*) as rows, sum(${value})::text as sum, max(times) as max
     from (select row, ${value}, count(*) over (partition by row) as times from ${schema}.${table}
           where request_id = :requestId and from_position is not null and replaced_by is null) counted`,
    { requestId: uploadId(number) },
  );
  return rows[0];
}

test.run();
