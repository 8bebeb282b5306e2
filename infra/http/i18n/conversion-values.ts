import type { Translations } from "./translation.ts";

/**
 * Problems of certifications and of conversion values (contract/administration.md#certification,
 * contract/conversion-values.md).
 */
export const conversionValueMessages: Translations = {
  "Send the key of a certified channel as Authorization: Bearer <key> and as api_key, and the response_format of that channel.":
    {
      ko: "인증된 채널의 키를 Authorization: Bearer <key>와 api_key로 함께 보내고, 해당 채널의 response_format을 보내 주십시오.",
      ja: "認定チャネルのキーをAuthorization: Bearer <key>とapi_keyの両方で送信し、そのチャネルのresponse_formatを指定してください。",
    },
  "This app has published no conversion values.": {
    ko: "이 앱은 전환 값을 게시하지 않았습니다.",
    ja: "このアプリはコンバージョン値を公開していません。",
  },
  "No conversion values were in force then.": {
    ko: "해당 시점에는 적용 중인 전환 값이 없었습니다.",
    ja: "その時点で有効なコンバージョン値はありませんでした。",
  },
  "Conversion values cannot mean that.": {
    ko: "전환 값을 그렇게 정의할 수 없습니다.",
    ja: "コンバージョン値をそのように定義することはできません。",
  },
  "No channel of that name is registered or built in.": {
    ko: "등록되었거나 기본 제공되는 채널 중에 해당 이름의 채널이 없습니다.",
    ja: "その名前のチャネルは、登録済みのチャネルにも組み込みのチャネルにもありません。",
  },
  "That channel was never certified.": {
    ko: "인증된 적이 없는 채널입니다.",
    ja: "そのチャネルは認定されたことがありません。",
  },
  "That responseFormat belongs to another certified channel.": {
    ko: "이 responseFormat은 인증된 다른 채널에서 사용 중입니다.",
    ja: "このresponseFormatは、別の認定チャネルで使用されています。",
  },
  "That iosStoreId belongs to another app.": {
    ko: "이 iosStoreId는 다른 앱에서 사용 중입니다.",
    ja: "このiosStoreIdは別のアプリで使用されています。",
  },

  "must be the same as ios_store_id": {
    ko: "ios_store_id와 같아야 합니다",
    ja: "ios_store_idと同じである必要があります",
  },
  "must not be there twice": { ko: "두 번 나올 수 없습니다", ja: "2回指定することはできません" },
  "must be 0 with SKAN_3": { ko: "SKAN_3에서는 0이어야 합니다", ja: "SKAN_3では0である必要があります" },
  "is not part of SKAN_3": { ko: "SKAN_3에는 없는 항목입니다", ja: "SKAN_3にはない項目です" },
  "can only be on postback 0": {
    ko: "포스트백 0에만 사용할 수 있습니다",
    ja: "ポストバック0でのみ使用できます",
  },
  "must be a whole number from 0 to 63": {
    ko: "0부터 63까지의 정수여야 합니다",
    ja: "0から63までの整数である必要があります",
  },
  "must be 0 to {limit} with at most 6 decimals": {
    ko: "소수점 이하 6자리 이내의 0부터 {limit}까지의 수여야 합니다",
    ja: "小数点以下6桁以内の、0から{limit}までの数である必要があります",
  },
  "must be less than maxAmount": {
    ko: "maxAmount보다 작아야 합니다",
    ja: "maxAmountより小さい必要があります",
  },
  "must be a fine value of this postback": {
    ko: "이 포스트백의 세부 값이어야 합니다",
    ja: "このポストバックの詳細な値である必要があります",
  },
  "must be a coarse value of this postback": {
    ko: "이 포스트백의 대략 값이어야 합니다",
    ja: "このポストバックの概略値である必要があります",
  },
  "must be an event of this postback": {
    ko: "이 포스트백의 이벤트여야 합니다",
    ja: "このポストバックのイベントである必要があります",
  },
};
