import type { Decider } from "../domain/decider.ts";
import type { Category, EventsByCategory } from "../domain/event-catalogue.ts";
import type { StreamName } from "../domain/streams.ts";
import type { EventLog } from "../infra/event-log/event-log.ts";
import type { Reply } from "../infra/http/routing/route.ts";
import { type CausingRequest, causeOf } from "./event-metadata.ts";
import { type Handled, handleCommand } from "./handle-command.ts";
import { type RejectionCode, refuseWith } from "./rejection-statuses.ts";

/** Handles the command of a request and builds the response; a rejected command gets a problem. */
export async function handleHttpCommand<In extends Category, Command, State, Code extends RejectionCode>(
  log: EventLog,
  decider: Decider<Command, EventsByCategory[In], State, Code>,
  stream: StreamName<In>,
  command: Command,
  request: CausingRequest,
  respond: (handled: Handled<State>) => Reply | Promise<Reply>,
): Promise<Reply> {
  const handled = await handleCommand(log, decider, stream, request.requestId, command, causeOf(request));
  return handled.outcome === "rejected" ? refuseWith(handled.rejection) : respond(handled);
}
