import { appendContract } from "./append-contract.ts";
import type { ServerUnderTest } from "./contract-client.ts";
import { metadataContract } from "./metadata-contract.ts";
import { readContract } from "./read-contract.ts";
import { subscriptionContract } from "./subscription-contract.ts";
import { tombstoneContract } from "./tombstone-contract.ts";

/**
 * What an event store does for any program, through the unmodified EventStoreDB client. Always runs against the embedded
 * store, and against a real server when `EVENTSTORE_URL` is set. The tests share a log, and each uses its own streams.
 */
export function eventStoreContract(name: string, server: () => ServerUnderTest): void {
  appendContract(`${name}: append`, server, "plain");
  appendContract(`${name}: batch append`, server, "batch");
  readContract(name, server);
  subscriptionContract(name, server);
  tombstoneContract(name, server);
  metadataContract(name, server);
}
