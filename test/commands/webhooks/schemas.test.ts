import { suite } from "uvu";
import * as assert from "uvu/assert";
import { changeBody, createBody } from "../../../commands/webhooks/schemas.ts";
import { fault } from "../../../domain/fault.ts";
import { compileValidator } from "../../../infra/http/request/validation.ts";

const url = "https://shop.example/";
const bodies = { creation: createBody, change: changeBody };

const limits = suite("length limits of a webhook");

for (const [body, schema] of Object.entries(bodies)) {
  const faultsOf = compileValidator(schema, "body");
  const faultsWith = (fields: object) => faultsOf({ url, types: ["report.finished"], ...fields });

  limits(`description, in a ${body}: 1 to 256 characters, or null`, () => {
    const faults = [0, 1, 2, 255, 256, 257].map((length) => faultsWith({ description: "😀".repeat(length) }));
    const path = ["body", "description"];
    assert.equal(faults, [
      [fault("too_short.characters", path, { limit: 1 })],
      ...[[], [], [], []],
      [fault("too_long.characters", path, { limit: 256 })],
    ]);
    assert.equal(faultsWith({ description: null }), []);
  });

  limits(`url, in a ${body}: up to 2,048 characters`, () => {
    const faults = [2_047, 2_048, 2_049].map((length) => faultsWith({ url: url.padEnd(length, "a") }));
    const path = ["body", "url"];
    assert.equal(faults, [[], [], [fault("too_long.characters", path, { limit: 2_048 })]]);
  });
}

limits.run();
