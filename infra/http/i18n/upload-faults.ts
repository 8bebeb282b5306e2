import type { Translations } from "./translation.ts";

/**
 * What is wrong with an uploaded file: texts of the reason of its record (contract/uploads.md#record,
 * contract/uploads.md#format).
 */
export const uploadFaults: Translations = {
  "row {row}: {cell}": { ko: "{row}행: {cell}", ja: "{row}行目: {cell}" },
  "rows {rows}: {cell}": { ko: "{rows}행: {cell}", ja: "{rows}行目: {cell}" },
  "rows {rows} and {others} more: {cell}": {
    ko: "{rows}행 외 {others}개 행: {cell}",
    ja: "{rows}行目、他{others}行: {cell}",
  },

  "is {size} bytes large: at most {limit} are taken": {
    ko: "크기가 {size}바이트입니다. 최대 {limit}바이트까지 받을 수 있습니다",
    ja: "サイズが{size}バイトです。受け付けられるのは{limit}バイトまでです",
  },
  "is more than {limit} bytes large when inflated": {
    ko: "압축을 풀면 {limit}바이트를 초과합니다",
    ja: "展開すると{limit}バイトを超えます",
  },
  "is called .gz and is not gzip": {
    ko: "이름이 .gz로 끝나지만 gzip 형식이 아닙니다",
    ja: "名前が.gzで終わっていますが、gzip形式ではありません",
  },
  "is gzip that ends too early": { ko: "gzip 데이터가 중간에 끊겼습니다", ja: "gzipデータが途中で終わっています" },
  "is gzip that is damaged": { ko: "gzip 데이터가 손상되었습니다", ja: "gzipデータが壊れています" },
  "is not UTF-8": { ko: "UTF-8이 아닙니다", ja: "UTF-8ではありません" },
  "is empty": { ko: "비어 있습니다", ja: "空です" },
  "has no rows below its header": { ko: "헤더 아래에 행이 없습니다", ja: "ヘッダーの下に行がありません" },
  "has more than {limit} rows below its header": {
    ko: "헤더 아래의 행이 {limit}개를 초과합니다",
    ja: "ヘッダーの下の行が{limit}行を超えています",
  },
  "was not read beyond row {row}, as so many rows do not fit the header": {
    ko: "헤더와 맞지 않는 행이 너무 많아 {row}행까지만 읽었습니다",
    ja: "ヘッダーに合わない行が多すぎるため、{row}行目までしか読み込みませんでした",
  },
  "internal error, the file could not be processed: upload it again": {
    ko: "내부 오류로 파일을 처리하지 못했습니다. 다시 업로드해 주십시오",
    ja: "内部エラーのため、ファイルを処理できませんでした。もう一度アップロードしてください",
  },

  "is not CSV (RFC 4180)": { ko: "CSV(RFC 4180) 형식이 아닙니다", ja: "CSV(RFC 4180)形式ではありません" },
  "is longer than {limit} bytes: is a quotation mark not closed, or a line not ended?": {
    ko: "{limit}바이트보다 깁니다. 닫히지 않은 따옴표나 끝나지 않은 줄이 있는지 확인해 주십시오",
    ja: "{limit}バイトを超えています。閉じられていない引用符や、終わっていない行がないか確認してください",
  },
  "has a quotation mark within a quoted value: write it twice": {
    ko: "따옴표로 묶인 값 안에 따옴표가 있습니다. 따옴표를 두 번 입력해야 합니다",
    ja: "引用符で囲まれた値の中に引用符があります。引用符は2つ重ねて入力する必要があります",
  },
  "has a quotation mark in a value that is not quoted as a whole": {
    ko: "전체가 따옴표로 묶이지 않은 값에 따옴표가 있습니다",
    ja: "全体が引用符で囲まれていない値に引用符があります",
  },
  "has a quotation mark that is not closed": {
    ko: "닫히지 않은 따옴표가 있습니다",
    ja: "閉じられていない引用符があります",
  },
  "must have {count} values, as the header has": {
    ko: "헤더와 같이 값이 {count}개여야 합니다",
    ja: "ヘッダーと同じく値が{count}個必要です",
  },

  "must end its lines with a line feed, with or without a carriage return before it": {
    ko: "각 줄은 줄 바꿈(LF)으로 끝나야 하며, 그 앞에 캐리지 리턴(CR)이 올 수 있습니다",
    ja: "各行は改行(LF)で終わる必要があります。その前に復帰(CR)があっても構いません",
  },
  "is a required column and is missing": { ko: "필수 열이 없습니다", ja: "必須の列がありません" },
  "is not a column of this upload": {
    ko: "이 업로드에서 사용하지 않는 열입니다",
    ja: "このアップロードでは使用しない列です",
  },
  "a column has no name": { ko: "이름이 없는 열이 있습니다", ja: "名前のない列があります" },
  "stands {count} times in the header: once is enough": {
    ko: "헤더에 {count}번 나옵니다. 한 번만 있어야 합니다",
    ja: "ヘッダーに{count}回あります。1回だけにする必要があります",
  },
  "the header has {count} more columns that this upload does not know": {
    ko: "헤더에 이 업로드에서 사용하지 않는 열이 {count}개 더 있습니다",
    ja: "ヘッダーに、このアップロードでは使用しない列がさらに{count}個あります",
  },
  "must be written {name}, in lower case": {
    ko: "소문자로 입력해야 합니다: {name}",
    ja: "小文字で入力する必要があります: {name}",
  },
  "must be written {name}, without white space around it": {
    ko: "앞뒤 공백 없이 입력해야 합니다: {name}",
    ja: "前後の空白なしで入力する必要があります: {name}",
  },

  "must have at most {limit} characters": {
    ko: "{limit}자 이하여야 합니다",
    ja: "{limit}文字以下である必要があります",
  },
  "must not be blank": { ko: "비워 둘 수 없습니다", ja: "空にすることはできません" },
  "must not be blank: write 0 where there is nothing": {
    ko: "비워 둘 수 없습니다. 값이 없으면 0을 입력해야 합니다",
    ja: "空にすることはできません。値がない場合は0を入力する必要があります",
  },
  "must not begin or end with white space": {
    ko: "앞뒤에 공백을 포함할 수 없습니다",
    ja: "前後に空白を含めることはできません",
  },
  "must not hold the character U+0000 or half a character": {
    ko: "U+0000 문자나 불완전한 문자를 포함할 수 없습니다",
    ja: "U+0000の文字や不完全な文字を含めることはできません",
  },
  "must not hold control characters": {
    ko: "제어 문자를 포함할 수 없습니다",
    ja: "制御文字を含めることはできません",
  },
  "means something else in reports: name the channel": {
    ko: "리포트에서 다른 의미로 쓰이는 이름입니다. 채널 이름을 입력해야 합니다",
    ja: "レポートで別の意味に使われている名前です。チャネル名を入力する必要があります",
  },
  "must be the channel's name, which is in lower case": {
    ko: "소문자로 된 채널 이름이어야 합니다",
    ja: "小文字のチャネル名である必要があります",
  },
  "is a channel whose cost comes by itself: it cannot be uploaded": {
    ko: "비용이 자동으로 연동되는 채널이므로 업로드할 수 없습니다",
    ja: "コストが自動で連携されるチャネルのため、アップロードできません",
  },
  "must be a date of the calendar written YYYY-MM-DD": {
    ko: "YYYY-MM-DD 형식의 실제 날짜여야 합니다",
    ja: "YYYY-MM-DD形式の、実在する日付である必要があります",
  },
  "must be from {from} to {to}": {
    ko: "{from}부터 {to}까지의 날짜여야 합니다",
    ja: "{from}から{to}までの日付である必要があります",
  },
  "must be written without commas": { ko: "쉼표 없이 입력해야 합니다", ja: "カンマなしで入力する必要があります" },
  "must be a whole number of 0 or more in digits alone": {
    ko: "숫자로만 입력한 0 이상의 정수여야 합니다",
    ja: "数字のみで入力した0以上の整数である必要があります",
  },
  "must be at most {limit}": { ko: "{limit} 이하여야 합니다", ja: "{limit}以下である必要があります" },
  "must be a decimal number such as 12.34: no sign, exponent, currency or space": {
    ko: "12.34와 같은 십진수여야 하며 부호, 지수, 통화 기호, 공백을 포함할 수 없습니다",
    ja: "12.34のような10進数である必要があります。符号、指数、通貨記号、空白を含めることはできません",
  },
  "must be a decimal number such as 12.34 or -0.5: no plus sign, exponent or space": {
    ko: "12.34 또는 -0.5와 같은 십진수여야 하며 더하기 기호, 지수, 공백을 포함할 수 없습니다",
    ja: "12.34や-0.5のような10進数である必要があります。プラス記号、指数、空白を含めることはできません",
  },
  "must be 0 or more": { ko: "0 이상이어야 합니다", ja: "0以上である必要があります" },
  "must have at most 6 decimals": {
    ko: "소수점 이하 6자리까지만 입력할 수 있습니다",
    ja: "小数点以下は6桁以内である必要があります",
  },
  "must be a currency code of ISO 4217, such as USD": {
    ko: "USD와 같은 ISO 4217 통화 코드여야 합니다",
    ja: "USDのようなISO 4217通貨コードである必要があります",
  },
  "must be a currency code of ISO 4217 in upper case, such as USD": {
    ko: "USD와 같이 대문자로 된 ISO 4217 통화 코드여야 합니다",
    ja: "USDのような、大文字のISO 4217通貨コードである必要があります",
  },
  "must be a country code of ISO 3166 with 2 letters, such as US": {
    ko: "US와 같은 두 글자의 ISO 3166 국가 코드여야 합니다",
    ja: "USのような、2文字のISO 3166国コードである必要があります",
  },
  "must be a country code of ISO 3166 with 2 letters in lower case, such as us": {
    ko: "us와 같이 소문자로 된 두 글자의 ISO 3166 국가 코드여야 합니다",
    ja: "usのような、小文字2文字のISO 3166国コードである必要があります",
  },
  "must be spelled {name} to match measured data": {
    ko: "측정 데이터와 일치하도록 다음과 같이 입력해야 합니다: {name}",
    ja: "計測データと一致するように、次のとおり入力する必要があります: {name}",
  },
  "must be app, web or tracking_link": {
    ko: "app, web, tracking_link 중 하나여야 합니다",
    ja: "app、web、tracking_linkのいずれかである必要があります",
  },
  "must be true, TRUE, false or FALSE": {
    ko: "true, TRUE, false, FALSE 중 하나여야 합니다",
    ja: "true、TRUE、false、FALSEのいずれかである必要があります",
  },
  "may hold letters and digits of English, space and _ - . : / ( ) % # & + alone": {
    ko: "영문자, 숫자, 공백과 _ - . : / ( ) % # & + 문자만 사용할 수 있습니다",
    ja: "英字、数字、空白、および _ - . : / ( ) % # & + の文字のみ使用できます",
  },
  "is a metric of the report already: choose another name": {
    ko: "리포트에 이미 있는 메트릭입니다. 다른 이름을 사용해야 합니다",
    ja: "レポートに既にあるメトリックです。別の名前を使用する必要があります",
  },
};
