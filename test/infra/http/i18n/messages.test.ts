import { IntlMessageFormat } from "intl-messageformat";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fault } from "../../../../domain/fault.ts";
import { languages } from "../../../../domain/values/language.ts";
import { catalogues, errorsOf, reasonOf, textOf } from "../../../../infra/http/i18n/messages.ts";

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];

/** Names of the placeholders of a message, nested ones included. */
function placeholders(elements: readonly Element[]): readonly string[] {
  return elements.flatMap((element) => {
    if (!("value" in element) || element.type === 0) return [];
    const options = "options" in element ? Object.values(element.options) : [];
    return [element.value, ...options.flatMap(({ value }) => placeholders(value))].filter((name) => name !== "");
  });
}

const placeholdersOf = (text: string, language: string) => [
  ...new Set(placeholders(new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst())),
];

const messages = suite("the message catalogues");

messages("have the same codes in every language", () => {
  for (const language of languages) assert.equal(Object.keys(catalogues[language]), Object.keys(catalogues.en));
});

messages("have the same placeholders in every language", () => {
  for (const [code, english] of Object.entries(catalogues.en)) {
    const expected = new Set(placeholdersOf(english, "en"));
    for (const language of ["ko", "ja"] as const) {
      const actual = new Set(placeholdersOf(catalogues[language][code as keyof typeof catalogues.en], language));
      // `count` only selects the English plural.
      if (code === "in_rows") expected.delete("count");
      assert.equal(actual, expected, `${code} (${language})`);
    }
  }
});

/** Titles, parts of other messages, and notifications of what is withheld from the caller. */
const noFaults =
  /^(title\..*|in_rows|did_you_mean|INVALID_FIELD.*|MEDIA_PARTNER_DATA_.*|AGG_DATA_MASKING_.*|SAN_PERIOD_LIMIT)$/;

const verbs =
  "activate|add|ask|begin|check|choose|close|compress|correct|enable|get|leave|name|publish|quote|register|report|request|save|send|split|take|tell|try|upload|use|wait|write|delete|see|did you mean|issue";

/** What demands something, or advises. */
const helpful = {
  en: new RegExp(
    `\\b(must|can|may|required|at most|is enough|asks for)\\b|(^|[.;:,?] |and )(first )?(${verbs})\\b`,
    "i",
  ),
  ko: /야 합니다|수 (있|없)습니다|필수 항목|까지|십시오/,
  ja: /必要(があります|です)|でき(ます|ません)|必須|なりません|ください/,
};

messages("of faults name the allowed values or advice", () => {
  for (const language of languages) {
    const silent = Object.entries(catalogues[language]).filter(
      ([code, text]) => !noFaults.test(code) && !helpful[language].test(text),
    );
    assert.equal(silent, []);
  }
});

messages("of files that are too large advise to split them by date, as rows of one key replace each other", () => {
  const byDate = { en: /split it by date/, ko: /날짜별로 나누어/, ja: /日付ごとに分割/ };
  for (const language of languages) {
    for (const code of ["file.too_large", "file.too_large_inflated", "file.too_many_rows"] as const) {
      assert.match(catalogues[language][code], byDate[language]);
    }
  }
});

messages("of an error are at most 50, those of the first faults", () => {
  const faults = Array.from({ length: 51 }, (_, index) => fault("missing", ["body", index]));
  const places = (count: number) => errorsOf(faults.slice(0, count), "en").map(({ loc: [, index] }) => index);
  for (const count of [49, 50]) assert.equal(places(count), [...Array(count).keys()]);
  assert.equal(places(51), [...Array(50).keys()]);
});

messages("of formats that people misspell have an example", () => {
  const examples = {
    "wrong_format.android-package": "com.example.shop",
    "wrong_format.app-name": "my_shop",
    "wrong_format.currency": "USD",
    "wrong_format.date": "2026-03-31",
    "wrong_format.date-time": "2026-03-31T12:00:00Z",
    "wrong_format.position-or-instant": "2026-03-31T12:00:00Z",
    "wrong_format.time-zone": "Asia/Seoul",
    exchange_rate_date_not_allowed: "2026-03-31",
    UNKNOWN_CURRENCY: "USD",
  } as const;
  for (const language of languages) {
    for (const [code, example] of Object.entries(examples)) {
      assert.ok(catalogues[language][code as keyof typeof examples].includes(example), `${code} (${language})`);
    }
  }
});

messages("name the operator next to what only operators may call", () => {
  const operator = { en: /operator/, ko: /운영자/, ja: /運用者/ };
  for (const language of languages) {
    const ofOperators = Object.values(catalogues[language]).filter((text) => /\/admin\/v1\/(?!apps)/.test(text));
    assert.is(ofOperators.length, 3);
    assert.equal(
      ofOperators.filter((text) => !operator[language].test(text)),
      [],
    );
  }
});

messages("are polite, and in the letters of their language", () => {
  const letters = { ko: /\p{Script=Hangul}/u, ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u };
  const onlyPlaceholders = ["INVALID_FIELD"];
  for (const [code, ko] of Object.entries(catalogues.ko)) {
    const ja = catalogues.ja[code as keyof typeof catalogues.ja];
    if (!onlyPlaceholders.includes(code)) {
      assert.match(ko, letters.ko, code);
      assert.match(ja, letters.ja, code);
    }
    assert.not.match(ko, letters.ja, code);
    assert.not.match(ja, letters.ko, code);
    // 합니다체, です・ます体.
    assert.not.match(ko, /(?<!니)다\.?$/u, code);
    assert.not.match(ja, /(だ|である|ない)。?$/u, code);
  }
});

messages.run();

const texts = suite("the text of a message");

texts("has its params in place", () => {
  const tooLong = { code: "too_long.characters", params: { limit: 2048 } };
  assert.is(textOf(tooLong, "en"), "must have at most 2048 characters");
  assert.is(textOf(tooLong, "ko"), "2048자 이하여야 합니다");
  assert.is(textOf(tooLong, "ja"), "2048文字以下である必要があります");
});

texts("has the singular and the plural of what was left out", () => {
  const params = { months: ["meta 2026-01"], impressions: 1_000, installs: 100 };
  const leftOut = (others: number) => {
    const [sentence] = textOf({ code: "AGG_DATA_MASKING_BY_PARTNER", params: { ...params, others } }, "en").split(".");
    return sentence?.split("2026-01")[1];
  };
  assert.equal([0, 1, 2].map(leftOut), ["", " and 1 more month", " and 2 more months"]);
});

texts("shows params as they are, whatever they look like", () => {
  const taken = { code: "app_name_taken", params: { name: "$& {name} <b>'" } };
  assert.is(textOf(taken, "en"), "The name $& {name} <b>' is taken. Choose another one.");
});

texts("shows placeholders of the API that look like tags", () => {
  assert.is(textOf({ code: "UNAUTHORIZED" }, "en"), "Send a known token: Authorization: Bearer <token>.");
});

texts("nests the text of another message", () => {
  const nested = { code: "INVALID_FIELD", params: { field: "device.id", fault: { code: "missing" }, others: 0 } };
  assert.is(textOf(nested, "en"), "device.id is required.");
  const several = { ...nested, params: { ...nested.params, others: 2 } };
  assert.is(textOf(several, "en"), "device.id is required (and 2 more).");
  assert.is(textOf(several, "ja"), "device.id: 必須です(他2件)。");
});

texts("fails for a code or a placeholder that is unknown", () => {
  assert.throws(() => textOf({ code: "no_such_code" }, "en"), /No message no_such_code/);
  assert.throws(() => textOf({ code: "constructor" }, "en"), /No message/);
  assert.throws(() => textOf({ code: "app_name_taken" }, "en"), /name/);
});

texts.run();

const faults = suite("faults as callers see them");

faults("name the field, the text and the public part of the code", () => {
  assert.equal(errorsOf([fault("out_of_range.after_to", ["query", "from"])], "en"), [
    { loc: ["query", "from"], msg: "must not be after to", type: "out_of_range" },
  ]);
});

faults("of a file are grouped by column, with the rows that have them", () => {
  const found = [
    fault("file.row_too_long", [], { limit: 1_048_576 }),
    fault("column.unknown", ["__proto__"]),
    fault("cell.blank", ["cost"], { rows: [2], count: 1 }),
    fault("cell.too_great", ["cost"], { limit: 9, rows: [2, 3, 7], count: 3 }),
    fault("cell.blank", ["date"], { rows: [2, 3], count: 1_962 }),
  ];
  assert.equal(Object.entries(reasonOf(found, "en")), [
    ["file", ["is longer than 1,048,576 bytes: close its quotation mark, or end its lines"]],
    ["__proto__", ["is not a column of this upload: take it out"]],
    ["cost", ["row 2: must not be blank", "rows 2, 3, 7: must be at most 9"]],
    ["date", ["rows 2, 3 and 1,960 more: must not be blank"]],
  ]);
  assert.equal(reasonOf(found, "ko").date, ["2, 3행 외 1,960개 행: 비워 둘 수 없습니다"]);
  assert.equal(reasonOf(found, "ja").cost?.[1], "2, 3, 7行目: 9以下である必要があります");
});

faults.run();
