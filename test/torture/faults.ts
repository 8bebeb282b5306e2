import { seededRandom } from "../../infra/demo/random.ts";
import type { BreakableProxy } from "../support/breakable-proxy.ts";
import { backupFaults } from "./backups.ts";
import { spoolDamage, storeDamage } from "./damage.ts";
import { fullDisk } from "./full-disk.ts";
import { poisonFaults } from "./poison.ts";
import type { Node, World } from "./world.ts";

/** Something that breaks for a while. Faults with the same target do not overlap. */
export interface Fault {
  readonly name: string;
  readonly target: string;
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
}

/** A fault with its times, in milliseconds from the start. */
export interface Scheduled {
  readonly fault: Fault;
  readonly begins: number;
  readonly ends: number;
}

const minFaultMs = 300;

export interface ScheduleOptions {
  readonly seed: number;
  /** How long faults begin. */
  readonly seconds: number;
  /** The longest fault, which lasts longer where what it does takes longer. */
  readonly maxFaultMs: number;
  /** The longest pause between the beginnings of two faults. */
  readonly maxPauseMs: number;
  /** Only faults whose names have one of these parts; none: all. */
  readonly kinds: readonly string[];
}

/** Every fault that a world can have: another one is another entry. */
export function faultsOf(world: World, seed: number): readonly Fault[] {
  const { nodes, store, postgres } = world;
  const random = seededRandom(seed);
  const { killLeader } = store.store;
  const ofCluster = {
    name: "kill the leader of the event store",
    target: "event store",
    begin: () => store.store.killLeader?.(),
    end: () => store.store.untilItAnswers(),
  };
  const isEmbedded = (process.env.EVENTSTORE_PROGRAM ?? "") === "";
  return [
    ...(killLeader === null ? [] : [ofCluster]),
    ...nodes.flatMap((node, number) => faultsOfNode(world, node, `node ${number + 1}`)),
    ...(isEmbedded ? [...backupFaults(world), storeDamage(world, random), fullDisk(world)] : []),
    ...poisonFaults(world, random),
    {
      name: "kill event store",
      target: "event store",
      begin: () => store.store.kill(),
      end: () => store.restart(),
    },
    {
      name: "freeze event store",
      target: "event store",
      begin: () => store.store.freeze(),
      end: () => {
        store.store.thaw();
        return store.store.untilItAnswers();
      },
    },
    { name: "stall Postgres", target: "Postgres", begin: () => postgres.stall(), end: () => postgres.resume() },
    { name: "cut Postgres", target: "Postgres", begin: () => postgres.cut(), end: () => postgres.resume() },
  ];
}

/** Longer than a visit waits for the event store. */
const delayMs = 300;

function faultsOfNode(world: World, node: Node, target: string): readonly Fault[] {
  return [
    ...(node.storeProxy === null ? [] : faultsOnWay(node.storeProxy, target)),
    spoolDamage(world, node, target),
    { name: `kill ${target}`, target, begin: () => node.application.kill(), end: () => node.start() },
    {
      name: `freeze ${target}`,
      target,
      begin: () => {
        node.frozenUntil = Number.POSITIVE_INFINITY;
        process.kill(node.application.run.pid, "SIGSTOP");
      },
      end: () => {
        process.kill(node.application.run.pid, "SIGCONT");
        node.frozenUntil = performance.now();
      },
    },
  ];
}

function faultsOnWay(storeProxy: BreakableProxy, target: string): readonly Fault[] {
  const onWay = { target: `way of ${target} to the event store`, end: () => storeProxy.resume() };
  return [
    { ...onWay, name: `cut the way of ${target} to the event store`, begin: () => storeProxy.cut() },
    { ...onWay, name: `stall the way of ${target} to the event store`, begin: () => storeProxy.stall() },
    { ...onWay, name: `delay the way of ${target} to the event store`, begin: () => storeProxy.delay(delayMs) },
  ];
}

/**
 * Faults one after the other and over one another, none after `seconds`: in a random order, each once before any comes again,
 * the same for the same options.
 */
export function generateSchedule(
  faults: readonly Fault[],
  { seed, seconds, maxFaultMs, maxPauseMs, kinds }: ScheduleOptions,
): readonly Scheduled[] {
  const chosen = faults.filter(({ name }) => kinds.length === 0 || kinds.some((kind) => name.includes(kind)));
  const random = seededRandom(seed);
  const schedule: Scheduled[] = [];
  const durationMs = seconds * 1000;
  let waiting: readonly Fault[] = [];
  for (let at = random.whole(200, 1_000); at < durationMs; at += random.whole(200, maxPauseMs)) {
    if (waiting.length === 0) waiting = chosen;
    const isBusy = ({ target }: Fault): boolean =>
      schedule.some((one) => one.fault.target === target && one.ends + maxPauseMs > at);
    const free = waiting.filter((fault) => !isBusy(fault));
    if (free.length === 0) continue;
    const fault = random.pick(free);
    waiting = waiting.filter((one) => one !== fault);
    schedule.push({ fault, begins: at, ends: Math.min(durationMs, at + random.whole(minFaultMs, maxFaultMs)) });
  }
  return schedule;
}
