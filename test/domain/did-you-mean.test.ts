import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unknownKey } from "../../domain/did-you-mean.ts";
import { languages } from "../../domain/values/language.ts";
import { textOf } from "../../infra/http/i18n/messages.ts";

const unknown = suite("the fault of an unknown key");

unknown("names it and the nearest known one", () => {
  const fault = unknownKey("not_allowed.group_by", ["groupBys", 0], "chanel", ["campaign", "channel"]);
  assert.equal(fault, {
    code: "not_allowed.group_by",
    path: ["groupBys", 0],
    params: { name: "chanel", suggestion: { code: "did_you_mean", params: { nearest: "channel" } } },
  });
  assert.match(textOf(fault, "en"), /^is not a group-by of this report: chanel \(did you mean channel\?\); /);
});

unknown("suggests none when no known key is similar", () => {
  const fault = unknownKey("unknown_field", [], "x".repeat(65), ["channel"]);
  assert.equal(fault.params, { name: "x".repeat(64), suggestion: "" });
  assert.match(textOf(fault, "en"), `is not a known field: ${"x".repeat(64)}; `);
});

unknown("has a text in every language", () => {
  for (const code of [
    "unknown_field",
    ...["group_by", "metric", "property", "event"].map((kind) => `not_allowed.${kind}`),
    ...["actuals", "retention", "revenue"].map((report) => `not_allowed.sort_of_${report}`),
  ]) {
    for (const language of languages) {
      assert.match(textOf(unknownKey(code, [], "chanel", ["channel"]), language), /chanel.*channel/);
    }
  }
});

unknown.run();
