import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { generatedSchema } from "./generated-schema.ts";

const test = suite("the types of the client");

test("are those of the routes; if not: npm run generate-client", async () => {
  const isCurrent = (await readFile(join(root, "client/schema.ts"), "utf8")) === (await generatedSchema());
  assert.ok(isCurrent, "client/schema.ts is stale: npm run generate-client");
});

test.run();
