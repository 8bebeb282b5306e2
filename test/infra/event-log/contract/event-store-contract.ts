import { appendContract } from "./append.ts";
import type { ServerUnderTest } from "./client.ts";
import { metadataContract } from "./metadata.ts";
import { readContract } from "./read.ts";
import { subscriptionContract } from "./subscriptions.ts";
import { tombstoneContract } from "./tombstones.ts";

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
