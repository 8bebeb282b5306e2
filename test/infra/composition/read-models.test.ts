import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventMetadata } from "../../../commands/event-metadata.ts";
import { openLog } from "../../../commands/log-id.ts";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { appRegistryStream, modelBundlesStream } from "../../../domain/streams.ts";
import { closeDatabases, openDatabases, openReadModels } from "../../../infra/composition/read-models.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { springRegistered } from "../../examples/model-bundles.ts";
import { startBreakableProxy } from "../../support/breakable-proxy.ts";
import { startTestLog } from "../../support/event-store.ts";
import { root } from "../../support/paths.ts";
import { testPostgres } from "../../support/stores.ts";

const now = "2026-03-01T00:00:00.000Z";
const actor = { kind: "operator" } as const;

/** An event as it is appended. */
function toAppend(event: StoredEvent) {
  return {
    id: randomUUID(),
    ...event,
    metadata: eventMetadata(event.type, { actor, requestId: "r-1", occurredAt: now }),
  };
}

const starting = suite("read models that start");

starting("have in memory what another process appends meanwhile", async () => {
  const store = await startTestLog();
  await openLog(store.log, now);
  await store.log.append(appRegistryStream, "no_stream", [toAppend(shopRegistered)]);
  await store.log.append(modelBundlesStream, "no_stream", [toAppend(springRegistered)]);
  const reads: Promise<void>[] = [];
  let isAppended = false;
  /** The tail begins after these events, which follow every read that has begun before. */
  const appendMeanwhile = async (): Promise<void> => {
    if (isAppended) return;
    isAppended = true;
    await Promise.all(reads);
    const { bundleId } = springRegistered.data;
    await store.log.append(modelBundlesStream, 0n, [
      toAppend({ type: "BundleActivated", data: { bundleId, appId: null } } as StoredEvent),
    ]);
    await store.log.append(appRegistryStream, 0n, [
      toAppend({ type: "AppRegistered", data: { ...shop, appId: 2, name: "second", iosStoreId: null } } as StoredEvent),
    ]);
  };
  const log: EventLog = {
    ...store.log,
    read: async function* (stream, from) {
      let end = (): void => {};
      reads.push(
        new Promise((resolve) => {
          end = resolve;
        }),
      );
      try {
        yield* store.log.read(stream, from);
      } finally {
        end();
      }
    },
    headPosition: async () => {
      await appendMeanwhile();
      return store.log.headPosition();
    },
  };
  const databases = await openDatabases(await testPostgres());
  const opened = openReadModels(log, databases, true, openLogger("silent"));
  try {
    await opened.start();
    assert.is(opened.apps.knownApp(2)?.name, "second");
    assert.equal([...opened.bundles.active().keys()], [null]);
  } finally {
    await opened.projector.stop();
    await closeDatabases(databases);
    await store.close();
  }
});

const pools = suite("the connections of a process to Postgres");

pools("are as many at most as the documentation and the cluster of Compose say", async () => {
  const databases = await openDatabases(await testPostgres());
  const maxConnections = Object.values(databases).reduce((sum, { client }) => sum + client.config.pool.max, 0);
  await closeDatabases(databases);
  const read = (file: string): string => readFileSync(join(root, file), "utf8").replaceAll("\n", " ");
  assert.match(read("docs/configuration.md"), `A process opens at most ${maxConnections} connections,`);
  assert.match(
    read("deploy/compose.cluster.yml"),
    `Each of the four processes may open ${maxConnections} connections.`,
  );
});

pools("are closed although Postgres does not respond", async () => {
  const proxy = await startBreakableProxy(await testPostgres());
  const databases = await openDatabases(proxy.connectionString);
  await databases.projecting.raw("select 1");
  proxy.abandon();
  const outcome = databases.projecting.raw("select 1").then(
    () => "answered",
    () => "failed",
  );
  await closeDatabases(databases);
  assert.is(await outcome, "failed");
  await proxy.close();
});

starting.run();
pools.run();
