import { join } from "node:path";
import { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { openDataDirectory } from "../../data-directory/data-directory.ts";
import { eventStoreCredential } from "../../data-directory/secrets.ts";
import { openEventStoreInThisThread } from "../../embedded-event-store/event-store.ts";
import { eventStoreUrl } from "../../event-log/event-store-access.ts";
import { orPortError } from "../../process/bind-port.ts";
import { endOnSignals, lifecycleOf, openingPart } from "../../process/lifecycle.ts";
import { openLogger } from "../../process/log.ts";
import { wholeNumber } from "../argument-parsers.ts";

const highestPort = 65_535;
const usualPort = 2113;

/** `touchledger event-store`: the embedded event store alone, for other programs on this machine, until a signal ends it. */
export function eventStoreCommand(): Command {
  return new Command("event-store")
    .option("--port <number>", "port to listen on; 0: any free one", wholeNumber(highestPort), usualPort)
    .action(async ({ port }: { readonly port: number }) => {
      const config = readConfig(process.env);
      const log = openLogger(config.logLevel);
      const directory = openingPart(
        "data directory",
        () => openDataDirectory(config.dataDirectory),
        (opened) => opened.close(),
      );
      const store = openingPart(
        "event store",
        async () => {
          const { path } = directory.opened();
          const credential = await eventStoreCredential(path);
          const reserveBytes = config.diskReserveBytes;
          const opened = await orPortError({ host: "127.0.0.1", port }, "--port", () =>
            openEventStoreInThisThread({ directory: join(path, "event-store"), port, ...credential, reserveBytes }),
          );
          return { ...credential, ...opened };
        },
        (opened) => opened.close(),
      );
      const lifecycle = lifecycleOf([directory, store], log);
      endOnSignals(lifecycle.stop, log);
      if (await lifecycle.start()) {
        console.log(`The event store runs. EVENTSTORE_URL for its clients, with the credential in it:`);
        console.log(`  ${eventStoreUrl(store.opened())}`);
      }
    });
}
