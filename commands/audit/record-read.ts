import { uuidv7 } from "uuidv7";
import type { PersonalDataRead } from "../../domain/audit/events.ts";
import { dataReadStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Cause, eventMetadata } from "../event-metadata.ts";

/** Records that personal data are read, before the response is sent (contract/administration.md#audit-trail). */
export type ReadRecorder = (read: PersonalDataRead["data"], cause: Cause) => Promise<void>;

/** Each read is a stream of one event; while the log is unavailable, no personal data can be read. */
export function createReadRecorder(log: Pick<EventLog, "append">): ReadRecorder {
  return async (data, cause) => {
    const metadata = eventMetadata("PersonalDataRead", cause);
    const id = uuidv7();
    await log.append(dataReadStream(data.appId, id), "no_stream", [{ type: "PersonalDataRead", data, id, metadata }]);
  };
}
