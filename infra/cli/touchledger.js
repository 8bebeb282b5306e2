#!/usr/bin/env node
import { existsSync } from "node:fs";

/** Whether Node.js has loaded another module first, as it does with tracing SDKs. They instrument single libraries only. */
const hasPreloaded = /(^|[\s"])(-r|--require|--import|--loader|--experimental[-_]loader)\b/.test(
  [process.env.NODE_OPTIONS, ...process.execArgv].join(" "),
);
const program = new URL(`../../dist/${hasPreloaded ? "traced-program" : "program"}/main.js`, import.meta.url);
if (!existsSync(program)) {
  console.error("Touchledger is not built. Build it with `npm ci`, or `npm run build` after a change.");
  process.exit(1);
}
await import(program.href);
