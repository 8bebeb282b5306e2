import { suite } from "uvu";
import * as assert from "uvu/assert";
import { applyWithoutPoison } from "../../../projections/engine/parking/poison.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall, anOrder } from "../../examples/app-events.ts";
import { wonBy } from "../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick, anImpression } from "../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "./facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);
const other = await createFacts(db);

const batch = suite("a batch with facts that cannot be stored");
batch.after(() => db.destroy());

batch("is stored without them, although their statements were pipelined with the others", async () => {
  const ofNoApp = { appId: 2 } as const;
  const undecidable = anInstall({ eventId: exampleUuid("installed", 9) });
  const events = recordedLog([
    shopRegistered,
    aClick(),
    aClick({ ...ofNoApp, touchpointId: exampleUuid("click", 2) }),
    anImpression(),
    anInstall(),
    anOrder({ ...ofNoApp, eventId: exampleUuid("ordered", 2) }),
    wonBy(undecidable, aClick()),
    wonBy(anInstall(), aClick()),
    anOrder(),
  ]);
  const parked: bigint[] = [];
  await db.transaction((trx) =>
    applyWithoutPoison(trx, facts, tables.schema, events, new Set(), async ({ position }) => {
      parked.push(position.commit);
    }),
  );
  assert.equal(parked, [300n, 600n, 700n]);
  await other.apply(events.filter(({ position }) => !parked.includes(position.commit)));
  assert.equal(await tables.all(), await other.all());
});

batch.run();
