#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../../dist/program/main.js", import.meta.url);
if (!existsSync(program)) {
  console.error("Touchledger is not built. Build it with `npm ci`, or `npm run build` after a change.");
  process.exit(1);
}
await import(program.href);
