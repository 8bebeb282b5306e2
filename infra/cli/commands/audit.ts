import { Command } from "commander";
import type { Actor } from "../../../domain/event.ts";
import { openAuditTrace } from "../../composition/read-models.ts";
import { readConfig } from "../../config/config.ts";
import { openLogger } from "../../process/log.ts";
import { nonEmpty } from "../argument-parsers.ts";
import { openStores } from "../stores.ts";
import { printTable } from "../terminal-text.ts";

/** Maximum events printed; a request or an upload has a few dozen, and an export one for each download. */
const maxEvents = 10_000;

/** `touchledger audit`: searches the audit trail (contract/administration.md#audit-trail). */
export function auditCommand(): Command {
  return new Command("audit").addCommand(
    new Command("trace")
      .description(
        "print what was done by a request, or about an upload, a report task, a link or anything else with an id",
      )
      .argument("<id>", "of the request, upload, task or link (its number, not its short id), ...", nonEmpty)
      .action(trace),
  );
}

async function trace(id: string): Promise<void> {
  const config = readConfig(process.env);
  const stores = await openStores(config, openLogger(config.logLevel));
  try {
    const found = await openAuditTrace(stores.db)(id, maxEvents + 1);
    const rows = found.slice(0, maxEvents);
    if (rows.length === 0) {
      console.error(
        `The audit trail has nothing of ${id}. Is it the id of a request, upload, report task, export, link or token?`,
      );
      process.exitCode = 1;
      return;
    }
    printTable(
      ["time", "position", "event", "subject", "actor", "request"],
      rows.map(({ at, position, type, subject, actor, requestId }) => {
        return [at.toISOString(), position, type, `${subject.kind} ${subject.id}`, actorText(actor), requestId];
      }),
    );
    if (found.length > rows.length) {
      console.error(
        `Only the first ${maxEvents} events are shown. GET /admin/v1/apps/<app>/audit?subject=${encodeURIComponent(id)}` +
          `&after=${rows.at(-1)?.position} has the others.`,
      );
    }
  } finally {
    await stores.close();
  }
}

function actorText(actor: Actor): string {
  if (actor.kind === "token") return `${actor.role} ${actor.tokenId}`;
  return actor.kind === "reactor" ? `reactor ${actor.name}` : actor.kind;
}
