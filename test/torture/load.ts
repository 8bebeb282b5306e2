import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { userAgents } from "../examples/tracking-links.ts";
import { type Acknowledged, app, type Node, type World } from "./world.ts";

const maxAnswerMs = 5_000;
const giveUpMs = 10_000;
const pauseMs = 20;

export interface LoadOptions {
  readonly clients: number;
  /** App events of one request. */
  readonly eventsOfBatch: number;
}

/** Visits and app events of several clients until `stop` aborts; every event is sent until it is acknowledged. */
export async function runLoad(world: World, { clients, eventsOfBatch }: LoadOptions, stop: AbortSignal): Promise<void> {
  const client = async (number: number): Promise<void> => {
    for (let turn = number; !stop.aborted; turn += 1) {
      await visit(world, nodeAt(world, turn), turn);
      await sendEvents(world, turn, eventsOfBatch);
      await pause(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
}

function nodeAt({ nodes }: World, turn: number): Node {
  return nodes[turn % nodes.length] as Node;
}

async function visit({ links, seen }: World, node: Node, turn: number): Promise<void> {
  const { pathname } = new URL(links[turn % links.length]?.shortUrl ?? "");
  const answer = await answered(node, pathname, { headers: { "user-agent": userAgents.desktop } }, seen);
  const location = answer?.status === 302 ? answer.headers.get("location") : null;
  const clickId =
    location === null || location === undefined ? null : new URL(location).searchParams.get("tl_click_id");
  if (clickId === null) seen.unansweredVisits += 1;
  else seen.clicks.add(clickId);
}

async function sendEvents(world: World, turn: number, eventsOfBatch: number): Promise<void> {
  const ids = Array.from({ length: eventsOfBatch }, () => randomUUID());
  const at = Date.now();
  const events = ids.map((eventId) => ({
    ...{ eventId, eventTimestamp: at, category: "app_install" },
    device: { id: `device-${eventId}`, os: "Android" },
  }));
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.tokens.api}` };
  const request = { method: "POST", headers, body: JSON.stringify({ events }) };
  for (let attempt = 0; ; attempt += 1) {
    const path = `/events/v1/apps/${app}/app-events`;
    const answer = await answered(nodeAt(world, turn + attempt), path, request, world.seen);
    if (answer?.status === 202) break;
    if (answer !== null && answer.status !== 503) throw new Error(`app events were answered with ${answer.status}`);
    await pause(pauseMs);
  }
  for (const id of ids) world.seen.events.add(id);
}

/** Null: no answer. */
async function answered(node: Node, path: string, request: RequestInit, seen: Acknowledged): Promise<Response | null> {
  const since = performance.now();
  const signal = AbortSignal.timeout(giveUpMs);
  const url = new URL(path, node.application.run.baseUrl);
  const answer = await fetch(url, { ...request, redirect: "manual", signal }).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  if (answer === null || answer.status >= 500) seen.failures += 1;
  const ms = performance.now() - since;
  if (ms > maxAnswerMs && node.frozenUntil < since) {
    seen.late.push(`${path}: ${answer?.status ?? "no answer"} after ${Math.round(ms)} ms`);
  }
  return answer;
}
