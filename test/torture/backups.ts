import { join } from "node:path";
import { runApplication } from "../support/application-process.ts";
import { type Ended, runProgram } from "../support/command-line.ts";
import { openLogIn } from "../support/event-store.ts";
import { testPostgres } from "../support/stores.ts";
import type { Fault } from "./faults.ts";
import { type Backup, isSame } from "./verdict.ts";
import type { World } from "./world.ts";

/** A backup that was begun while everything runs; `verdict.ts` judges it. */
export interface BegunBackup {
  /** Where it is, if it could be made. */
  readonly directory: string;
  /** The app events that were acknowledged before it began. */
  readonly promised: readonly string[];
  readonly ended: Ended;
}

/** On the embedded event store, which alone is backed up so. */
const embedded = { EVENTSTORE_URL: "" };
const killAfterMs = 300;

/** `touchledger backup` while everything runs, and while the event store is killed. */
export function backupFaults(world: World): readonly Fault[] {
  const { store, scratch, backups, seen } = world;
  const backUp = async (): Promise<void> => {
    const promised = [...seen.events];
    const directory = join(scratch, `backup-${backups.length + 1}-of-${promised.length}`);
    const ended = await runProgram(["backup", directory], { ...embedded, DATA_DIR: store.directory });
    backups.push({ directory, promised, ended });
  };
  return [
    { name: "back up", target: "event store", begin: backUp, end: () => undefined },
    {
      name: "kill event store during a backup",
      target: "event store",
      begin: async () => {
        const backingUp = backUp();
        await new Promise((resolve) => setTimeout(resolve, killAfterMs));
        await store.store.kill();
        await backingUp;
      },
      end: () => store.restart(),
    },
  ];
}

/** What each backup has once it is restored into another directory; the last one is started, and its read models verified. */
export async function restoredBackups({ scratch, backups, poison }: World): Promise<readonly Backup[]> {
  const restored: Backup[] = [];
  for (const [index, { directory, promised, ended }] of backups.entries()) {
    const data = join(scratch, `restored-${index + 1}`);
    const environment = { ...embedded, DATA_DIR: data };
    const commands = [ended];
    if (ended.code === 0) commands.push(await runProgram(["restore", directory], environment));
    const failed = commands.find(({ code }) => code !== 0);
    if (failed !== undefined) {
      restored.push({ promised, logged: [], failure: `${failed.out}${failed.err}` });
      continue;
    }
    const logged = await eventsIn(join(data, "event-store"));
    const checks = [await runProgram(["verify", "--log"], environment)];
    if (index === backups.length - 1) checks.push(await verified(data));
    const differing = checks.find((check) => !isSame(check, poison.size > 0));
    restored.push({ promised, logged, failure: differing === undefined ? "" : `${differing.out}${differing.err}` });
  }
  return restored;
}

async function eventsIn(directory: string): Promise<Backup["logged"]> {
  const { log, close } = await openLogIn(directory);
  const logged: { id: string; eventId: string | null }[] = [];
  for await (const event of log.readAll("start", Number.MAX_SAFE_INTEGER)) {
    logged.push({ id: event.id, eventId: event.type === "AppEventRecorded" ? event.data.eventId : null });
  }
  await close();
  return logged;
}

/** `touchledger verify` of an application that has built its read models from a restored log. */
async function verified(data: string): Promise<Ended> {
  const application = await runApplication(data, { ...embedded, DATABASE_URL: await testPostgres() });
  try {
    return await runProgram(["verify"], { DATA_DIR: data });
  } finally {
    await application.stop();
  }
}
