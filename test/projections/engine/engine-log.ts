import type { EngineLogger } from "../../../projections/engine/runner/log-reader.ts";

/** Keeps nothing; `TOUCHLEDGER_TEST_LOG=1` prints it. */
export const silentEngineLog: EngineLogger =
  process.env.TOUCHLEDGER_TEST_LOG === "1"
    ? { info: console.error, warn: console.error, error: console.error }
    : { info: () => undefined, warn: () => undefined, error: () => undefined };
