#!/usr/bin/env node
// The program runs from its TypeScript sources: this file only makes Node understand them.
import { register } from "tsx/esm/api";

register();
await import("./main.ts");
