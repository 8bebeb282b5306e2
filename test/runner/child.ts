import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type FileToRun, report } from "./messages.ts";
import { leftOpen, openResources, processState } from "./process-state.ts";

// A process that runs test files, one after another, as the runner sends them. What throws here ends the process,
// and the runner then fails the file.
process.once("disconnect", () => process.exit(1));

// uvu then leaves it to us to start, once the whole file is loaded.
Object.assign(globalThis, { UVU_DEFER: 1, UVU_INDEX: 0, UVU_QUEUE: [[null]] });

const { run } = await import("./suite.ts");

process.on("message", async ({ file, testMs }: FileToRun) => {
  await nextTurn();
  const opened = openResources();
  const state = processState();
  await run(() => import(pathToFileURL(file).href), testMs);
  await nextTurn();
  for (let polls = 0; leftOpen(opened).length > 0; polls++) {
    if (polls === 250) console.log("still open:", leftOpen(opened).join(", "));
    await pause(2);
  }
  report({ kind: "file closed", reusable: processState() === state });
});
