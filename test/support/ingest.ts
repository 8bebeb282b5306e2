import { createJournals, type JournalOptions, type Journals } from "../../commands/journals/journal.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { type Application, type Parts, startApplication } from "./application.ts";

/** Routes that write through journals. */
export function startIngest(
  routes: (journals: Journals) => readonly Route[],
  options: JournalOptions = {},
  parts: Omit<Parts, "routes"> = {},
): Promise<Application> {
  return startApplication({ deadlineMs: 2_000, ...parts, routes: ({ log }) => routes(createJournals(log, options)) });
}
