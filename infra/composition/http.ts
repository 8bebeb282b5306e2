import type { Express } from "express";
import { Gauge, type Registry } from "prom-client";
import { createJournals, type Journals } from "../../commands/journals/journal.ts";
import { tracedJournals } from "../../commands/journals/traced-journals.ts";
import { apiUrl, type Config, localUrl, publicUrls } from "../config/config.ts";
import type { Listener } from "../http/server/operations-port.ts";
import { apiApps, monitoringApps } from "./http-apps.ts";
import type { HttpParts, HttpUrls } from "./http-routes.ts";
import { openPrediction } from "./prediction.ts";
import { openTokenUses } from "./token-uses.ts";

/** Shorter than the deadline of the log, so that a batch is given up together with its first append that times out. */
const journalRetryMs = 2_000;

export interface OpenHttp {
  readonly urls: HttpUrls;
  /** Ends requests, and appends the events queued in journals. */
  close(drainOver: AbortSignal): Promise<void>;
}

/** Serves links, operations and both APIs; health and metrics alone in a process without the role `api`. */
export function openHttp(config: Config, parts: HttpParts): OpenHttp {
  const { mainServer, operationsServer } = parts;
  const serve = (appOf: (listener: Listener) => Express): void => {
    mainServer.serve(appOf(operationsServer === null ? "only" : "public"));
    operationsServer?.serve(appOf("operations"));
  };
  const closeListeners = async (drainOver: AbortSignal): Promise<void> => {
    await Promise.all([mainServer.close(drainOver), operationsServer?.close(drainOver)]);
  };
  const servesApi = config.roles.has("api");
  const publicAddresses = publicUrls(config, mainServer.port);
  const api = servesApi ? apiUrl(config, mainServer.port) : publicAddresses.baseUrl;
  const operationsUrl = operationsServer === null ? api : localUrl(config, operationsServer.port);
  const urls = { ...publicAddresses, apiUrl: api, operationsUrl };
  if (!servesApi) {
    serve(monitoringApps(config, parts));
    return { urls, close: closeListeners };
  }
  const { eventLog, spoolingJournals, databases, readModels, registry, log } = parts;
  const journals = tracedJournals(createJournals(eventLog, { retryForMs: journalRetryMs }));
  // Calls that were scored in one batch are recorded in one.
  const callJournals = tracedJournals(createJournals(eventLog, { retryForMs: journalRetryMs, startsNextTurn: true }));
  const allJournals = [journals, spoolingJournals, callJournals];
  measureJournals(allJournals, registry);
  const { lookingUp } = databases;
  const prediction = openPrediction({ eventLog, ...readModels, callJournals, lookingUp, registry, log });
  const tokenUses = openTokenUses(databases.reading, log);
  serve(apiApps(config, { ...parts, urls, journals, prediction, tokenUses }));
  return {
    urls,
    close: async (drainOver) => {
      await closeListeners(drainOver);
      await prediction.close();
      await tokenUses.close();
      await Promise.all(allJournals.map((one) => one.drain()));
    },
  };
}

function measureJournals(journals: readonly Pick<Journals, "depth">[], registry: Registry): void {
  new Gauge({
    name: "journal_waiting_events",
    help: "Events that wait for the event store or are on their way to it.",
    registers: [registry],
    collect() {
      this.set(journals.reduce((sum, one) => sum + one.depth().events, 0));
    },
  });
}
