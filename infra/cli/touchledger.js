#!/usr/bin/env node
await import("../../dist/program/main.js");
