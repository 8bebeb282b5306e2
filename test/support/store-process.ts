import { openEventStore } from "../../infra/embedded-event-store/event-store.ts";
import { credential } from "./event-store.ts";

/** A process that is nothing but an event store, to be killed: `store-process.ts <directory> <port>`. */
const [directory = "", port = "0"] = process.argv.slice(2);
const store = await openEventStore({ directory, port: Number(port), ...credential });
process.send?.({ port: store.port, connectionString: store.connectionString });
process.once("SIGTERM", () => store.close().then(() => process.exit(0)));
