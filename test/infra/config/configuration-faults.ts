import { ConfigurationInvalid, readConfig } from "../../../infra/config/config.ts";
import type { Environment } from "../../../infra/config/environment-reader.ts";

/** What is wrong with an environment; nothing when it is a configuration. */
export function faultsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (failure) {
    if (failure instanceof ConfigurationInvalid) return failure.faults;
    throw failure;
  }
}
