import type { Translations } from "./translation.ts";

/** What a schema says of a field (`infra/http/request/validation.ts`), and limits that are told in the same words. */
export const schemaFaults: Translations = {
  "is required": { ko: "필수 항목입니다", ja: "必須です" },
  "is not a known field": { ko: "알 수 없는 필드입니다", ja: "不明なフィールドです" },
  "is not valid": { ko: "올바르지 않습니다", ja: "正しくありません" },
  "must be {types}": { ko: "다음 유형이어야 합니다: {types}", ja: "{types}である必要があります" },
  "must be one of {values}": {
    ko: "다음 중 하나여야 합니다: {values}",
    ja: "次のいずれかである必要があります: {values}",
  },
  "must be {json}": { ko: "다음 값이어야 합니다: {json}", ja: "次の値である必要があります: {json}" },
  "must be a valid {format}": { ko: "올바른 형식이어야 합니다: {format}", ja: "有効な{format}である必要があります" },
  "must match {pattern}": {
    ko: "다음 패턴과 일치해야 합니다: {pattern}",
    ja: "次のパターンに一致する必要があります: {pattern}",
  },

  "must have at least {limit} characters": {
    ko: "{limit}자 이상이어야 합니다",
    ja: "{limit}文字以上である必要があります",
  },
  "must have at most {limit} characters": {
    ko: "{limit}자 이하여야 합니다",
    ja: "{limit}文字以下である必要があります",
  },
  "must have at least {limit} items": { ko: "항목이 {limit}개 이상이어야 합니다", ja: "項目が{limit}個以上必要です" },
  "must have at most {limit} items": {
    ko: "항목이 {limit}개 이하여야 합니다",
    ja: "項目は{limit}個以下である必要があります",
  },
  "must have at least {limit} fields": {
    ko: "필드가 {limit}개 이상이어야 합니다",
    ja: "フィールドが{limit}個以上必要です",
  },
  "must have at most {limit} fields": {
    ko: "필드가 {limit}개 이하여야 합니다",
    ja: "フィールドは{limit}個以下である必要があります",
  },
  "must have at most {limit} parts": {
    ko: "파트가 {limit}개 이하여야 합니다",
    ja: "パートは{limit}個以下である必要があります",
  },
  "must have at most {limit} bytes": {
    ko: "{limit}바이트 이하여야 합니다",
    ja: "{limit}バイト以下である必要があります",
  },

  "must be >= {limit}": { ko: "{limit} 이상이어야 합니다", ja: "{limit}以上である必要があります" },
  "must be <= {limit}": { ko: "{limit} 이하여야 합니다", ja: "{limit}以下である必要があります" },
  "must be > {limit}": { ko: "{limit}보다 커야 합니다", ja: "{limit}より大きい必要があります" },
  "must be < {limit}": { ko: "{limit}보다 작아야 합니다", ja: "{limit}より小さい必要があります" },
  "must be multiple of {limit}": { ko: "{limit}의 배수여야 합니다", ja: "{limit}の倍数である必要があります" },

  "must NOT have duplicate items (items ## {one} and {other} are identical)": {
    ko: "중복된 항목이 있을 수 없습니다({one}번째와 {other}번째 항목이 같습니다. 첫 항목은 0번째입니다)",
    ja: "重複する項目を含めることはできません({one}番目と{other}番目の項目が同じです。最初の項目は0番目です)",
  },
  "must contain at least {limit} valid item(s)": {
    ko: "조건에 맞는 항목이 {limit}개 이상이어야 합니다",
    ja: "条件に合う項目が{limit}個以上必要です",
  },
  "must contain at least {least} and no more than {most} valid item(s)": {
    ko: "조건에 맞는 항목이 {least}개 이상 {most}개 이하여야 합니다",
    ja: "条件に合う項目は{least}個以上{most}個以下である必要があります",
  },
  "must NOT have more than {limit} items": {
    ko: "항목이 {limit}개 이하여야 합니다",
    ja: "項目は{limit}個以下である必要があります",
  },
  "must NOT have unevaluated items": {
    ko: "정의되지 않은 항목이 있을 수 없습니다",
    ja: "定義されていない項目を含めることはできません",
  },
  "property name must be valid": { ko: "필드 이름이 올바르지 않습니다", ja: "フィールド名が正しくありません" },
  "must match a schema in anyOf": {
    ko: "허용되는 형태 중 하나와 일치해야 합니다",
    ja: "許可されている形のいずれかに一致する必要があります",
  },
  "must match exactly one schema in oneOf": {
    ko: "허용되는 형태 중 정확히 하나와 일치해야 합니다",
    ja: "許可されている形のちょうど1つに一致する必要があります",
  },
  "must NOT be valid": { ko: "허용되지 않는 값입니다", ja: "許可されていない値です" },
  'must match "then" schema': {
    ko: "다른 필드의 값에 따라 정해지는 형태와 일치해야 합니다",
    ja: "他のフィールドの値によって決まる形に一致する必要があります",
  },
  'must match "else" schema': {
    ko: "다른 필드의 값에 따라 정해지는 형태와 일치해야 합니다",
    ja: "他のフィールドの値によって決まる形に一致する必要があります",
  },
  "boolean schema is false": { ko: "허용되지 않는 필드입니다", ja: "許可されていないフィールドです" },
};
