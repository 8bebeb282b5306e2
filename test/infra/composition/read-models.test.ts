import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventMetadata } from "../../../commands/event-metadata.ts";
import { openLog } from "../../../commands/log-id.ts";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { appRegistryStream, modelBundlesStream } from "../../../domain/streams.ts";
import { closeDatabases, openDatabases } from "../../../infra/composition/connection-pools.ts";
import { openReadModels } from "../../../infra/composition/read-models.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { springRegistered } from "../../examples/model-bundles.ts";
import { startTestLog } from "../../support/event-store.ts";
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

starting.run();
