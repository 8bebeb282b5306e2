import { register } from "node:module";
import { pathToFileURL } from "node:url";
import { report } from "./messages.ts";

// The process that runs one test file: the runner starts it with the file as its argument.
const [, , file = ""] = process.argv;

process.once("disconnect", () => process.exit(1));
// Not to be kept running by it: a file that leaves something open is to be found out.
process.channel?.unref();

register("./uvu-hooks.js", import.meta.url);
// uvu then leaves it to us to start, once the whole file is loaded.
Object.assign(globalThis, { UVU_DEFER: 1, UVU_INDEX: 0, UVU_QUEUE: [[null]] });

const { exec, reportWhatNeverRan } = await import("./suite.ts");
await import(pathToFileURL(file).href);
await exec();
reportWhatNeverRan();
report({ kind: "file ended" });
