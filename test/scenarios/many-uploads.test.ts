// time limit: 240 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistryStream } from "../../domain/streams.ts";
import { receiveUpload } from "../commands/uploads/receive.ts";
import { peakMemory, startWorker, succeeded } from "../commands/uploads/upload-worker.ts";
import { shopRegistered } from "../examples/app.ts";
import { fullAdSpendFile } from "../examples/upload-files.ts";
import { openStores } from "../projections/engine/stores.ts";

const terminalWithinMs = 60_000;

const many = suite("many uploads at once");

many("are ingested in less than 350 MB", async () => {
  const stores = await openStores();
  await stores.append(appRegistryStream, shopRegistered);
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  // Files of nearly 1 MB, each making three chunks of rows
  for (const number of numbers) await receiveUpload(stores, number, fullAdSpendFile(`campaign ${number}`, 600));
  const worker = await startWorker(stores);
  try {
    worker.send([]);
    for (const number of numbers) {
      const { types } = await succeeded(stores, number, terminalWithinMs);
      assert.is(types.filter((type) => type === "SpendRowsStaged").length, 3);
    }
    const peak = await peakMemory(worker);
    assert.is(peak > 0 && peak < 350_000_000, true, `${peak} bytes`);
  } finally {
    worker.kill("SIGKILL");
    await stores.close();
  }
});

many.run();
