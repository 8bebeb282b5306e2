import { suite } from "uvu";
import * as assert from "uvu/assert";
import { instantOf } from "../../../domain/values/instants.ts";

const spelling = suite("an instant as clients spell it");

spelling("is ISO 8601 with an offset, with or without seconds and fractions", () => {
  const instant = Date.parse("2026-03-10T12:00:00.000Z");
  for (const text of [
    "2026-03-10T12:00:00.000Z",
    "2026-03-10T12:00:00Z",
    "2026-03-10T12:00Z",
    "2026-03-10T12:00:00.000999999Z",
    "2026-03-10T21:00:00+09:00",
    "2026-03-10T21:00:00+0900",
    "2026-03-10T21:00:00+09",
    "2026-03-10T06:30:00-05:30",
  ]) {
    assert.is(instantOf(text), instant, text);
  }
  assert.is(instantOf("2026-03-10T12:00:00.5Z"), instant + 500);
  assert.is(instantOf("2024-02-29T23:59:59.999-12:00"), Date.parse("2024-03-01T11:59:59.999Z"));
});

spelling("has no other format", () => {
  for (const text of [
    "",
    "2026-03-10",
    "2026-03-10T12:00:00",
    "2026-03-10 12:00:00Z",
    "2026-02-29T12:00:00Z",
    "2026-13-01T12:00:00Z",
    "2026-00-10T12:00:00Z",
    "2026-04-31T12:00:00Z",
    "2026-03-10T24:00:00Z",
    "2026-03-10T12:60:00Z",
    "2026-03-10T12:00:60Z",
    "2026-03-10T12:00:00+15:00",
    "2026-03-10T12:00:00,5Z",
    "2026-W11-2T12:00:00Z",
    "1773144000000",
    "now",
  ]) {
    assert.is(instantOf(text), null, text);
  }
});

spelling.run();
