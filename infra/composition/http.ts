import type { Express } from "express";
import { apiUrl, type Config, localUrl, publicUrls } from "../config/config.ts";
import type { Listener } from "../http/server/listeners.ts";
import { apiApps, monitoringApps } from "./http-apps.ts";
import type { HttpParts, HttpUrls } from "./http-routes.ts";
import { openJournals } from "./journals.ts";
import { openPrediction } from "./prediction.ts";
import { openTokenUses } from "./token-uses.ts";

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
  const { journals, callJournals, drain } = openJournals(eventLog, spoolingJournals, registry);
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
      await drain();
    },
  };
}
