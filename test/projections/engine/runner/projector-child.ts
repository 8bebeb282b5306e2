import { createProjector } from "../../../../projections/engine/runner/projector.ts";
import { silentEngineLog } from "../engine-log.ts";
import { ledger } from "../ledger.ts";
import { connectDatabase, connectLog } from "../stores.ts";

// A projector in a process of its own, to be killed: its arguments are the URLs of the log and of the database.
const [, , eventStoreUrl = "", databaseUrl = ""] = process.argv;
const projector = createProjector({
  db: connectDatabase(databaseUrl),
  log: connectLog(eventStoreUrl),
  projections: ledger,
  engineLog: silentEngineLog,
  maxBatch: 20,
});
await projector.start();
process.send?.("started");
process.once("disconnect", () => process.exit(0));
