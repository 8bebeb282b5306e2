import { appendContract } from "./append-contract.ts";
import type { ServerUnderTest } from "./contract-client.ts";
import { readContract } from "./read-contract.ts";
import { subscriptionContract } from "./subscription-contract.ts";
import { tombstoneContract } from "./tombstone-contract.ts";

/**
 * What every event store does for any program with an EventStoreDB client, over that client. Runs against the embedded
 * store always, and against a real server where `EVENTSTORE_URL` names one. The tests share a log and use streams of
 * their own.
 */
export function eventStoreContract(name: string, server: () => ServerUnderTest): void {
  appendContract(`${name}: append`, server, "plain");
  appendContract(`${name}: batch append`, server, "batch");
  readContract(name, server);
  subscriptionContract(name, server);
  tombstoneContract(name, server);
}
