import * as assert from "uvu/assert";
import { type AppEventDeps, appEventRoutes } from "../../commands/app-events/ingest.ts";
import { createJournals, type JournalOptions, type Journals } from "../../commands/journals/journal.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { type Application, type Parts, startApplication } from "./application.ts";
import type { Answer, Call } from "./raw-client.ts";

/** Routes that write through journals. */
export function startIngest(
  routes: (journals: Journals) => readonly Route[],
  options: JournalOptions = {},
  parts: Omit<Parts, "routes"> = {},
): Promise<Application> {
  return startApplication({ deadlineMs: 2_000, ...parts, routes: ({ log }) => routes(createJournals(log, options)) });
}

/** The routes of app events; without limits, and no address is a link, unless `more` says so. */
export function appEventIngest(journals: Journals, more: Partial<AppEventDeps> = {}): readonly Route[] {
  return appEventRoutes({ journals, openedLinks: async () => new Map(), rateLimiter: null, ...more });
}

/** The data of a response of bulk ingest, with each rejected item as its index and code. */
export interface IngestOutcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly (readonly [index: number, code: string])[];
  readonly devices: Readonly<Record<string, string>>;
}

/** Sends items to a route of bulk ingest as the app's owner. */
export function bulkIngestClient({ call, events }: Application, path: string, field: "events" | "touchpoints") {
  const send = (items: readonly unknown[], more: Call = {}): Promise<Answer> =>
    call("POST", path, { token: "owner", body: { [field]: items }, ...more });
  return {
    send,
    /** Sends items in a request that must be accepted. */
    async ingest(items: readonly unknown[], more: Call = {}): Promise<IngestOutcome> {
      const { status, json, text } = await send(items, more);
      assert.is(status, 202, text.slice(0, 500));
      const { data } = json as {
        data: Omit<IngestOutcome, "rejected"> & { rejected: readonly { index: number; code: string }[] };
      };
      return { ...data, rejected: data.rejected.map(({ index, code }) => [index, code]) };
    },
    /** The stored events with an id. */
    storedWith: async (id: string) => (await events()).filter((event) => event.id === id.toLowerCase()),
  };
}
