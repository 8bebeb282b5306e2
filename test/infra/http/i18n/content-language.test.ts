import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Language } from "../../../../domain/values/language.ts";
import { preferredLanguage } from "../../../../infra/http/i18n/content-language.ts";

const cases: Readonly<Record<string, readonly (readonly [string | undefined, Language])[]>> = {
  "is English where none is asked for, or none that there is": [
    [undefined, "en"],
    ["", "en"],
    ["fr", "en"],
    ["fr, de;q=0.9, zh-Hant", "en"],
  ],
  "is the one asked for, in either case, with or without a region": [
    ["en", "en"],
    ["ko", "ko"],
    ["ja", "ja"],
    ["KO", "ko"],
    ["ko-KR", "ko"],
    ["ja-Jpan-JP", "ja"],
    ["en-GB", "en"],
  ],
  "is the one of the highest weight": [
    ["en;q=0.8, ko;q=0.9", "ko"],
    ["ko;q=0.8, ja", "ja"],
    ["ko;q=0.999, ja;q=1.000", "ja"],
    ["fr, ja;q=0.2, ko;q=0.1", "ja"],
    ["ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", "ko"],
    ["ko-KR;q=0.1, ko;q=0.9, ja;q=0.5", "ko"],
  ],
  "is the earlier of two of one weight": [
    ["ko, ja", "ko"],
    ["ja, ko", "ja"],
    ["fr;q=0.5, ja;q=0.5, ko;q=0.5", "ja"],
  ],
  "is one that no range names where any is taken": [
    ["*", "en"],
    ["fr, *;q=0.1", "en"],
    ["ko;q=0.5, *", "en"],
    ["en;q=0.5, *", "ko"],
    ["en;q=0.5, ko;q=0.5, *;q=0.6", "ja"],
    ["ko, *;q=0.5", "ko"],
    ["en;q=0.1, ko;q=0.2, ja;q=0.3, *", "ja"],
  ],
  "is never one that is refused by name, while another is taken": [
    ["en;q=0, *", "ko"],
    ["en;q=0, ko;q=0.0, *;q=0.1", "ja"],
    ["ko;q=0, ko-KR, ja;q=0.1", "ja"],
    ["ko-KR;q=0, ko", "ko"],
    ["*;q=0, ja;q=0.1", "ja"],
    ["*;q=0", "en"],
    ["en;q=0", "en"],
  ],
  "is found around what is no language range": [
    ["garbage header!", "en"],
    ["ko;q=2", "en"],
    ["ko;q=-1", "en"],
    ["ko;q=abc", "en"],
    ["ko;q=0.1234", "en"],
    ["ko;q", "en"],
    ["ko_KR", "en"],
    ["korean-language-of-all", "en"],
    ["*-KR", "en"],
    ["@@, ja;q=0.1", "ja"],
    [" ,, ko ;\tq=0.5 , ", "ko"],
    ["ko;Q=0.5, ja;q=0.4", "ko"],
    [`${"x-".repeat(8_000)}, ja`, "ja"],
  ],
};

const language = suite("the language that is asked for");

for (const [rule, examples] of Object.entries(cases)) {
  language(rule, () => {
    for (const [header, expected] of examples) assert.is(preferredLanguage(header), expected, header?.slice(0, 60));
  });
}

language.run();
