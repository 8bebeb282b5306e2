import type { PersonalDataRead } from "../domain/audit/events.ts";
import type { RouteRequest } from "../infra/http/routing/route.ts";

/** Records that a caller reads personal data, before the response is sent (contract/administration.md#audit-trail). */
export type RecordRead = (
  read: PersonalDataRead["data"],
  request: Pick<RouteRequest<unknown, unknown>, "principal" | "requestId" | "receivedAt" | "trace">,
) => Promise<void>;
