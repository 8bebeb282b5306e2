import { createProjector } from "../../../../projections/engine/runner/projector.ts";
import { connectLog } from "../../../support/event-store.ts";
import { silentEngineLog } from "../engine-log.ts";
import { ledger } from "../ledger.ts";
import { connectDatabase } from "../stores.ts";

// A projector in a process of its own, to be killed, on the stores of its environment.
const { EVENTSTORE_URL = "", EVENT_STREAM_PREFIX = "", DATABASE_URL = "" } = process.env;
const projector = createProjector({
  db: connectDatabase(DATABASE_URL),
  log: connectLog({ EVENTSTORE_URL, EVENT_STREAM_PREFIX }),
  projections: ledger,
  logger: silentEngineLog,
  maxBatch: 20,
});
await projector.start();
process.send?.("started");
process.once("disconnect", () => process.exit(0));
