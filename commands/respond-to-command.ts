import type { Decider } from "../domain/decider.ts";
import type { DomainEvent } from "../domain/event.ts";
import type { EventLog } from "../infra/event-log/event-log.ts";
import type { Reply } from "../infra/http/routing/route.ts";
import { type Handled, handleCommand } from "./handle-command.ts";
import { causeOf } from "./metadata.ts";
import { type RejectionCode, refuseWith } from "./problems.ts";

/** Handles the command of a request and builds the response; a rejected command gets a problem. */
export async function respondToCommand<Command, Event extends DomainEvent, State, Code extends RejectionCode>(
  log: EventLog,
  decider: Decider<Command, Event, State, Code>,
  stream: string,
  command: Command,
  request: Parameters<typeof causeOf>[0],
  respond: (handled: Handled<State>) => Reply | Promise<Reply>,
): Promise<Reply> {
  const handled = await handleCommand(log, decider, stream, request.requestId, command, causeOf(request));
  return handled.outcome === "rejected" ? refuseWith(handled.rejection) : respond(handled);
}
