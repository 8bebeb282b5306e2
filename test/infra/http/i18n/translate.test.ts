import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemOf } from "../../../../commands/problems.ts";
import { failureNotifications } from "../../../../domain/report-tasks/failure-notifications.ts";
import * as reporting from "../../../../domain/reporting/notifications.ts";
import { translate, translations } from "../../../../infra/http/i18n/translate.ts";
import { translatedNotifications, translatedProblem } from "../../../../infra/http/i18n/translated-message.ts";
import { problems, titleOf } from "../../../../infra/http/response/problem.ts";

const texts = suite("a text in the language of its caller");

texts("is as it was in English", () => {
  assert.is(translate("is required", "en"), "is required");
});

texts("is English where nobody has translated it", () => {
  assert.is(translate("must be in no table", "ko"), "must be in no table");
  assert.is(translate("must be string or colour", "ko"), "must be string or colour");
  assert.is(translate("constructor", "ja"), "constructor");
});

texts("says what its English words say of the case", () => {
  assert.is(translate("must have at most 255 characters", "ko"), "255자 이하여야 합니다");
  assert.is(translate("must have at most 255 characters", "ja"), "255文字以下である必要があります");
  assert.is(translate("must be >= -0.5", "ko"), "-0.5 이상이어야 합니다");
  assert.is(translate("must be one of IN, NOT IN", "ja"), "次のいずれかである必要があります: IN, NOT IN");
});

texts("is told from every other, whatever stands in its places", () => {
  const within: { readonly [name: string]: readonly [english: string, korean: string] } = {
    cell: ["is empty", "비어 있습니다"],
    fault: ["is required", "필수 항목입니다"],
    format: ["date", "날짜"],
    types: ["string", "문자열"],
    what: ["metric", "메트릭"],
  };
  const filled = (text: string, language: 0 | 1): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => within[name]?.[language] ?? "10");
  for (const [english, { ko }] of Object.entries(translations)) {
    assert.is(translate(filled(english, 0), "ko"), filled(ko, 1), english);
  }
});

texts("translates the words within, each by itself or all of them as one", () => {
  assert.is(translate("must be string", "ko"), "다음 유형이어야 합니다: 문자열");
  assert.is(translate("must be string or null", "ja"), "文字列またはnullである必要があります");
  assert.is(
    translate("must be a valid log position or instant", "ko"),
    "올바른 형식이어야 합니다: 로그 위치 또는 시각",
  );
  assert.is(translate("is not a group-by of this report", "ja"), "このレポートでは使用できないグループバイです");
});

texts("keeps what a caller has sent as it is, whatever it looks like", () => {
  assert.is(translate("The name metric is taken.", "ko"), "이미 사용 중인 이름입니다: metric");
  assert.is(translate("The name $& {name} is taken.", "ko"), "이미 사용 중인 이름입니다: $& {name}");
  assert.is(translate("must be one of a\nb", "ko"), "다음 중 하나여야 합니다: a\nb");
});

texts("of an item names the field and what is wrong with it", () => {
  assert.is(translate("device.id must be string.", "ko"), "device.id: 다음 유형이어야 합니다: 문자열.");
  assert.is(translate("a key is required (and 2 more).", "ja"), "a key: 必須です(他2件)。");
  assert.is(translate("The item must be object.", "ja"), "項目: オブジェクトである必要があります。");
  assert.is(translate("device.id must be in no table.", "ko"), "device.id must be in no table.");
});

texts.run();

const answers = suite("what callers are told in Korean and Japanese");

answers("is every title and detail of a problem", () => {
  for (const problem of Object.values(problems)) {
    for (const language of ["ko", "ja"] as const) {
      const { title, detail, ...rest } = translatedProblem(problem, language);
      assert.is.not(title, problem.title);
      assert.is.not(detail, problem.detail);
      assert.equal({ ...rest, title: problem.title, detail: problem.detail }, problem);
    }
  }
  for (const title of Object.values(titleOf)) assert.is.not(translate(title, "ko"), title);
});

answers("is what a problem says of each field, and of what was refused", () => {
  const refused = problemOf({ rejected: "APP_NAME_TAKEN", field: ["body", "name"], detail: "The name shop is taken." });
  assert.equal(translatedProblem(refused, "ja"), {
    status: 409,
    code: "APP_NAME_TAKEN",
    title: "競合",
    detail: "既に使用されている名前です: shop",
    errors: [{ loc: ["body", "name"], msg: "既に使用されている名前です: shop", type: "app_name_taken" }],
  });
});

answers("is every notification of a report, dates and currencies as they are", () => {
  const missing = reporting.exchangeRateMissing([{ currency: "EUR", dates: ["2026-02-27", "2026-02-28"] }]);
  const constant = Object.values(reporting).flatMap((value) => {
    if (typeof value === "function") return [];
    return "code" in value ? [value] : Object.values(value);
  });
  assert.ok(constant.includes(reporting.filteredByChannel));
  const told = [...constant, missing, ...Object.values(failureNotifications)];
  for (const language of ["ko", "ja"] as const) {
    for (const [index, { message, ...rest }] of translatedNotifications(told, language).entries()) {
      assert.is.not(message, told[index]?.message);
      assert.equal({ ...rest, message: told[index]?.message }, told[index]);
    }
  }
  assert.equal(translatedNotifications([missing], "ko"), [
    {
      code: "EXCHANGE_RATE_MISSING",
      type: "WARNING",
      message: "적용할 환율이 없어 제외된 금액이 있습니다: EUR (2026-02-27 to 2026-02-28).",
    },
  ]);
  assert.equal(translatedNotifications(told, "en"), told);
});

answers.run();
