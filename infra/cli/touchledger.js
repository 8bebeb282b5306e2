#!/usr/bin/env node
await import("../../dist/infra/cli/main.js");
