import { suite } from "uvu";
import { eventStoreAccess } from "../../../infra/event-log/event-store-access.ts";
import { eventStoreContract } from "./contract/event-store-contract.ts";

const url = process.env.EVENTSTORE_URL;

if (url === undefined || url === "") {
  const given = suite("event store at EVENTSTORE_URL");
  given.skip("keeps the contract (EVENTSTORE_URL is not set)");
  given.run();
} else {
  const { connectionString, username, password } = eventStoreAccess(url);
  eventStoreContract("event store at EVENTSTORE_URL", () => ({
    connectionString,
    credentials: { username, password },
    secure: !connectionString.includes("tls=false"),
    maximumAppendSize: null,
    reportsCaughtUp: true,
  }));
}
