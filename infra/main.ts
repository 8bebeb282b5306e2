import { compose } from "./compose.ts";
import type { Config } from "./config.ts";
import { exitOnSignals, type Lifecycle, lifecycleOf } from "./lifecycle.ts";
import { openLog } from "./log.ts";

/** Starts everything and leaves it running until a signal ends the process. Rejects when something cannot start. */
export async function runStart(config: Config): Promise<void> {
  const log = openLog(config.logLevel);
  const fail = exitOnSignals(() => lifecycle.stop(), log);
  const lifecycle: Lifecycle = lifecycleOf(compose(config, log, { fail, ready: () => lifecycle.ready() }), log);
  if (await lifecycle.start()) log.info({ dataDirectory: config.dataDirectory }, "running");
}
