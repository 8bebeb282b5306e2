import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Projection } from "../../../projections/projection.ts";
import { createProjector, type Projector } from "../../../projections/projector.ts";
import { createReadModels } from "../../../projections/read-models.ts";
import { silentEngineLog } from "./engine-log.ts";
import { ledger, rowsOf } from "./ledger.ts";
import { openStores, type Stores } from "./stores.ts";

const test = suite("projector");

let stores: Stores;
test.before.each(async () => {
  stores = await openStores();
});
test.after.each(() => stores.close());

function projectorOf(projections: readonly Projection[] = ledger): Projector {
  return createProjector({ db: stores.db, log: stores.log, projections, engineLog: silentEngineLog });
}

test("applies what the log holds and what comes after", async () => {
  const projector = projectorOf();
  await stores.append("account-1", { type: "Opened", data: {} }, { type: "Paid", data: { amount: 3 } });
  await projector.start();
  const last = await stores.append("account-1", { type: "Paid", data: { amount: 4 } });
  try {
    assert.is(await projector.hasPassed("facts", last, 10_000), true);
    assert.is(await projector.hasPassed("control", last, 10_000), true);
    const { db, schema } = await createReadModels(stores.db, ledger).live("balances");
    assert.equal(await rowsOf(db, schema, "balances"), [
      { account: "account-1", balance: 7, largest: 4, position: Number(last.commit) },
    ]);
    const status = await projector.status();
    assert.equal(
      status.groups.map(({ group, place, lagPositions, failing }) => ({ group, place, lagPositions, failing })),
      ["facts", "control"].map((group) => ({ group, place: last, lagPositions: 0n, failing: null })),
    );
  } finally {
    await projector.stop();
  }
});

test.run();
