import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { storedTokenUses, storeTokenUses } from "../../../projections/apps/token-uses.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { testPostgres } from "../../support/stores.ts";

const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
const tokenUses = suite("the stored uses of tokens");
tokenUses.before(() => createEngineTables(db));
tokenUses.after(() => db.destroy());

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute));

tokenUses("are the latest that any process has stored", async () => {
  await storeTokenUses(
    db,
    new Map([
      ["a", at(2)],
      ["b", at(2)],
    ]),
  );
  await storeTokenUses(
    db,
    new Map([
      ["a", at(1)],
      ["b", at(3)],
      ["c", at(1)],
    ]),
  );
  const stored = await storedTokenUses(db, ["a", "b", "c", "d"]);
  assert.equal(Object.fromEntries(stored), { a: at(2), b: at(3), c: at(1) });
  assert.equal(await storedTokenUses(db, []), new Map());
});

tokenUses.run();
