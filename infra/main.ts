import { LogOfAnotherInstance } from "../commands/claim-log.ts";
import { LogNotOpened, WrongLog } from "../projections/engine/checkpoints/log-identity.ts";
import { RebuildRefused } from "../projections/engine/generations/rebuild.ts";
import {
  type OperatorCommands,
  openOperatorCommands,
  UnknownProjection,
} from "../projections/engine/maintenance/operator-commands.ts";
import { PoisonEvent } from "../projections/engine/parking/find-poison.ts";
import { NotParked } from "../projections/engine/parking/retry-and-skip.ts";
import { LogStalled } from "../projections/engine/runner/watch-for-stall.ts";
import { createReadModels } from "../projections/read-models.ts";
import { type VerifiedResults, verifyResults } from "../projections/reports/results/verify-results.ts";
import { haveViewsChanged, ViewsInUse } from "../projections/sql-views/install.ts";
import { openStores } from "./cli/stores.ts";
import { compose } from "./composition/application.ts";
import { projections } from "./composition/read-models.ts";
import { reportsToVerify } from "./composition/reports-to-verify.ts";
import type { Config } from "./config/config.ts";
import type { RunFile } from "./data-directory/run-file.ts";
import { limitHeapGrowth } from "./process/heap.ts";
import { endOnSignals, type Lifecycle, lifecycleOf } from "./process/lifecycle.ts";
import { openLogger } from "./process/log.ts";
import { letOthersRespondFirst } from "./process/priority.ts";
import { logProcessFailures } from "./process/uncaught-failures.ts";

/** What an operator may do with the read models and the stored results of reports. */
export interface MaintenanceCommands extends OperatorCommands {
  verifyResults(): Promise<VerifiedResults>;
  /** Whether somebody has changed the SQL views since they were installed. */
  haveSqlViewsChanged(): Promise<boolean>;
}

/** Failures of the read models whose message is enough for an operator, without a stack. */
export const plainFailures = [
  PoisonEvent,
  LogNotOpened,
  LogStalled,
  LogOfAnotherInstance,
  WrongLog,
  UnknownProjection,
  RebuildRefused,
  NotParked,
  ViewsInUse,
];

/** A Touchledger that runs in this process. */
export interface RunningApplication {
  readonly run: RunFile;
  /** Whether the admin token was just created, so that it is shown on a terminal this once. */
  readonly hasNewAdminToken: boolean;
  /** Stops everything in order and ends the process with `exitCode`. */
  stop(exitCode: number): Promise<never>;
}

/** Starts the application, which runs until a signal ends the process. Rejects when a part cannot start. */
export async function runStart(config: Config): Promise<RunningApplication> {
  limitHeapGrowth();
  if (config.roles.size === 1 && config.roles.has("worker")) letOthersRespondFirst();
  const log = openLogger(config.logLevel);
  logProcessFailures(log);
  for (const misspelt of config.misspelt)
    log.warn(misspelt, "the environment has an unknown variable, probably misspelt");
  const { end, fail } = endOnSignals(() => lifecycle.stop(), log);
  const application = compose(config, log, { fail, ready: () => lifecycle.ready() });
  const lifecycle: Lifecycle = lifecycleOf(application.parts, log);
  const untilTheEnd = new Promise<never>(() => {});
  if (!(await lifecycle.start())) return untilTheEnd;
  return {
    ...application.started(),
    stop: (exitCode) => {
      end(exitCode);
      return untilTheEnd;
    },
  };
}

/** Calls `work` with the operator commands on the read models of the configured instance, running or not. */
export async function withOperatorCommands(
  config: Config,
  work: (operator: MaintenanceCommands) => Promise<void>,
): Promise<void> {
  limitHeapGrowth();
  const log = openLogger(config.logLevel);
  const stores = await openStores(config, log);
  try {
    const operator = await openOperatorCommands(stores.db, stores.log, projections, log);
    const models = createReadModels(stores.db, projections);
    await work({
      ...operator,
      verifyResults: async () => verifyResults(await reportsToVerify(models, stores.log)),
      haveSqlViewsChanged: () => haveViewsChanged(stores.db),
    });
  } finally {
    await stores.close();
  }
}
