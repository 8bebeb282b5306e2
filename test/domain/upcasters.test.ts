import { suite } from "uvu";
import * as assert from "uvu/assert";
import { storedType, upcast } from "../../domain/upcasters.ts";

const upcasters = suite("upcasters");

upcasters("bring data of any version to the current one", () => {
  const renamed = storedType(
    (data) => ({ ...Object(data), second: true }),
    (data) => ({ ...Object(data), third: true }),
  );
  assert.is(renamed.version, 3);
  assert.equal(
    [1, 2, 3, 4].map((version) => upcast(renamed, { version }, version)),
    [{ version: 1, second: true, third: true }, { version: 2, third: true }, { version: 3 }, { version: 4 }],
  );
});

upcasters.run();
