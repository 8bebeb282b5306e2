import type { Knex } from "knex";
import * as assert from "uvu/assert";
import type { LogPosition } from "../../../domain/event.ts";
import {
  type OperatorCommands,
  openOperatorCommands,
} from "../../../projections/engine/maintenance/operator-commands.ts";
import {
  createProjector,
  type Projector,
  type ProjectorOptions,
} from "../../../projections/engine/runner/projector.ts";
import type { GroupName, Projection } from "../../../projections/projection.ts";
import { createReadModels } from "../../../projections/read-models.ts";
import { rowsOf } from "../split-property.ts";
import { silentEngineLog } from "./engine-log.ts";
import { paid, payment } from "./ledger.ts";
import { openStores, type Stores } from "./stores.ts";

/** Stores with projectors on them, which `close` stops. */
export interface TestEngine extends Stores {
  projector(projections: readonly Projection[], options?: Partial<ProjectorOptions>): Projector;
  start(projections: readonly Projection[], options?: Partial<ProjectorOptions>): Promise<Projector>;
  operator(projections: readonly Projection[], log?: Stores["log"], stalledMs?: number): Promise<OperatorCommands>;
  /** The rows of the table of a projection, in its live generation. */
  rows(projection: Projection): Promise<readonly unknown[]>;
  /** Appends one payment into account 9. */
  pay(): Promise<LogPosition>;
  /** Appends a payment into account 9 and `count` into accounts 1 to 3. */
  payMany(count: number): Promise<LogPosition>;
}

export async function openEngine(): Promise<TestEngine> {
  const stores = await openStores();
  const projectors: Projector[] = [];
  const projector: TestEngine["projector"] = (projections, options) => {
    const created = createProjector({
      db: stores.db,
      log: stores.log,
      projections,
      logger: silentEngineLog,
      ...options,
    });
    projectors.push(created);
    return created;
  };
  const pay = () => stores.append("account-9", payment(1));
  return {
    ...stores,
    projector,
    start: async (projections, options) => {
      const started = projector(projections, options);
      await started.start();
      return started;
    },
    operator: (projections, log = stores.log, stalledMs = undefined) =>
      openOperatorCommands(stores.db, log, projections, silentEngineLog, stalledMs),
    rows: async (projection) => {
      const { db, schema } = await createReadModels(stores.db, [projection]).live(projection.name);
      return Object.values(await rowsOf(db, projection, schema)).flat();
    },
    pay,
    payMany: async (count) => {
      let last = await pay();
      for (const { stream, event } of paid(count)) last = await stores.append(stream, event);
      return last;
    },
    close: async () => {
      for (const one of projectors) await one.stop();
      await stores.close();
    },
  };
}

/** Waits until a group has applied the events up to `position`. */
export async function reached(projector: Projector, position: LogPosition | null, group: GroupName = "facts") {
  assert.is(await projector.waitForPosition(group, position, 20_000), true);
}

/** Whether a transaction waits until another one unlocks the checkpoint of a group. */
export async function isCheckpointAwaited(db: Knex): Promise<boolean> {
  const { rows }: { rows: readonly unknown[] } = await db.raw(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%touchledger.checkpoints%'`,
  );
  return rows.length > 0;
}
