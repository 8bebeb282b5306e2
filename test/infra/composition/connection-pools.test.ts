import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { closeDatabases, openDatabases } from "../../../infra/composition/connection-pools.ts";
import { startBreakableProxy } from "../../support/breakable-proxy.ts";
import { root } from "../../support/paths.ts";
import { testPostgres } from "../../support/stores.ts";

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

pools.run();
