import express, { type Request } from "express";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Language } from "../../../../domain/values/language.ts";
import { languageOf } from "../../../../infra/http/i18n/content-language.ts";

const cases: readonly (readonly [string | undefined, Language])[] = [
  [undefined, "en"],
  ["", "en"],
  ["fr, de;q=0.9", "en"],
  ["garbage header!", "en"],
  ["KO", "ko"],
  ["ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", "ko"],
  ["en;q=0.8, ja;q=0.9", "ja"],
  ["ja, ko", "ja"],
  ["*", "en"],
  ["en;q=0.5, *", "ko"],
  ["en;q=0, *", "ko"],
  ["*;q=0", "en"],
  ["ja".padEnd(1_023), "ja"],
  ["ja".padEnd(1_024), "ja"],
  ["ja".padEnd(1_025), "en"],
];

const language = suite("the language of a response");

for (const [header, expected] of cases) {
  language(
    `is ${expected} for ${header?.slice(0, 40).trim() ?? "no Accept-Language"} (${header?.length ?? 0} characters)`,
    () => {
      const request = Object.assign(Object.create(express.request), { headers: { "accept-language": header } });
      assert.is(languageOf(request as Request), expected);
    },
  );
}

language.run();
