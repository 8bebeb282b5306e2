import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { logIdentityStream } from "../../../../domain/streams.ts";
import { readGenerations } from "../../../../projections/engine/generations/generations.ts";
import { rebuild } from "../../../../projections/engine/generations/rebuild.ts";
import {
  type OperatorCommands,
  openOperatorCommands,
} from "../../../../projections/engine/maintenance/operator-commands.ts";
import { createProjector } from "../../../../projections/engine/runner/projector.ts";
import { changeEvents, flipped } from "../../../infra/embedded-event-store/maintenance/damage.ts";
import { appended, metadata } from "../../../infra/event-log/event-log-client.ts";
import { type EmbeddedTestLog, startEmbeddedLog } from "../../../support/event-store.ts";
import { reached } from "../engine.ts";
import { silentEngineLog } from "../engine-log.ts";
import { ledger, payment, payments } from "../ledger.ts";
import { openTestDatabase } from "../stores.ts";

const test = suite("an event that the read models have passed is damaged");
const noProgress = (): void => undefined;
/** A read of the log's last events reads others from the disk as well, which must not be the damaged one. */
const count = 400;
const stored = (event: object) => ({ id: randomUUID(), ...event, metadata }) as Parameters<typeof appended>[3][number];

let store: EmbeddedTestLog;
let db: Knex;
let operator: OperatorCommands;
test.before.each(async () => {
  store = await startEmbeddedLog();
  db = await openTestDatabase();
  operator = await openOperatorCommands(db, store.log, ledger, silentEngineLog, 100);
  await appended(store.log, logIdentityStream, "no_stream", [
    stored({ type: "LogOpened", data: { logId: randomUUID() } }),
  ]);
  const { position } = await appended(
    store.log,
    "account-1",
    "no_stream",
    Array.from({ length: count }, () => stored(payment(1))),
  );
  const projector = createProjector({ db, log: store.log, projections: ledger, logger: silentEngineLog });
  await projector.start();
  await reached(projector, position);
  await reached(projector, position, "control");
  await projector.stop();
  await flipThird();
});
test.after.each(async () => {
  await db.destroy();
  await store.close();
});

/** Damages the third event, or repairs it. */
async function flipThird(): Promise<void> {
  await changeEvents(store.directory, (position, bytes) =>
    position === 3 ? flipped(bytes, bytes.length - 20) : bytes,
  );
}

const liveGenerations = async () =>
  (await readGenerations(db)).map(({ projection, version, state }) => [projection, version, state]);

const reason =
  /^LogStalled: The event store keeps failing, and no event came at all \(.*the event at position 3 is damaged.*\)\. `touchledger verify --log`/;
const live = ["accounts", "balances", "payments"].map((name) => [name, 1, "live"]);

for (const [name, run] of [
  ["verify", () => operator.verify(noProgress)],
  ["rebuild of one read model", () => operator.rebuild(["payments"], noProgress)],
  ["rebuild of all", () => operator.rebuild("all", noProgress)],
] as const) {
  test(`${name} ends with the reason of the event store, and leaves no generation`, async () => {
    assert.match(String(await run().catch((failure: Error) => failure)), reason);
    assert.equal(await liveGenerations(), live);
  });
}

test("the rebuild of all read models in an empty database ends with the reason", async () => {
  await db.raw("delete from touchledger.checkpoints");
  assert.match(String(await operator.rebuild("all", noProgress).catch((failure: Error) => failure)), reason);
});

test("the build of a server goes on retrying until the event can be read", async () => {
  let failures = 0;
  let notice = (): void => undefined;
  const failedOften = new Promise<void>((resolve) => {
    notice = () => {
      failures += 1;
      if (failures === 4) resolve();
    };
  });
  const log: typeof store.log = {
    ...store.log,
    subscribe: (options) =>
      store.log.subscribe({
        ...options,
        onTrouble: (error) => {
          options.onTrouble?.(error);
          notice();
        },
      }),
  };
  const built = rebuild(db, log, "facts", [payments], { graceMs: 60_000 });
  await failedOften;
  await flipThird();
  await built;
  assert.equal(await liveGenerations(), [...live, ["payments", 1, "retired"]]);
});

test.run();
