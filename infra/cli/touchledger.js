#!/usr/bin/env node
// The program runs from its TypeScript sources: this file registers the loader.
import { register } from "tsx/esm/api";

register();
await import("./main.ts");
