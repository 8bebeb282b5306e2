import { appRegistryStream } from "../../domain/streams.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { TrainingImpossible } from "./training-impossible.ts";

/** An app as far as its installs depend on it. */
export interface TrainedApp {
  readonly appId: number;
  readonly name: string;
  readonly timezone: string;
}

/**
 * The app with a name.
 * @throws {TrainingImpossible} when the log knows none
 */
export async function findApp(log: Pick<EventLog, "read">, name: string): Promise<TrainedApp> {
  for await (const { data } of log.read(appRegistryStream)) {
    if (data.name === name) return { appId: data.appId, name, timezone: data.timezone };
  }
  throw new TrainingImpossible(`There is no app ${name}.`);
}
