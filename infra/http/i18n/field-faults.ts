import { schemaFaults } from "./schema-faults.ts";
import type { Translations } from "./translation.ts";

/**
 * What is wrong with a field beyond its schema: `errors[].msg` (contract/http.md#errors), said of the field that `loc`
 * names.
 */
export const fieldFaults: Translations = {
  ...schemaFaults,

  "must be one file": { ko: "파일 하나여야 합니다", ja: "ファイルは1つである必要があります" },
  "must have at most {limit} files": {
    ko: "파일은 {limit}개 이하여야 합니다",
    ja: "ファイルは{limit}個以下である必要があります",
  },
  "must be UTF-8 without U+0000": {
    ko: "U+0000이 없는 UTF-8이어야 합니다",
    ja: "U+0000を含まないUTF-8である必要があります",
  },
  "must be percent-encoded UTF-8 without U+0000": {
    ko: "U+0000이 없는 UTF-8을 퍼센트 인코딩한 값이어야 합니다",
    ja: "U+0000を含まないUTF-8をパーセントエンコードした値である必要があります",
  },
  "must not hold U+0000 or lone surrogates": {
    ko: "U+0000이나 짝이 없는 서로게이트를 포함할 수 없습니다",
    ja: "U+0000や対になっていないサロゲートを含めることはできません",
  },
  "must not name a field twice": {
    ko: "같은 필드를 두 번 쓸 수 없습니다",
    ja: "同じフィールドを2回指定することはできません",
  },
  "must be a finite number": { ko: "유한한 숫자여야 합니다", ja: "有限の数値である必要があります" },
  "must be 1 to 255 printable ASCII characters": {
    ko: "출력 가능한 ASCII 문자 1~255자여야 합니다",
    ja: "印字可能なASCII文字1〜255文字である必要があります",
  },
  "must be a position as X-Log-Position answers it": {
    ko: "X-Log-Position으로 응답된 위치여야 합니다",
    ja: "X-Log-Positionで返された位置である必要があります",
  },

  "must have fewer fields": { ko: "필드 수를 줄여야 합니다", ja: "フィールドの数を減らす必要があります" },
  "must be JSON in UTF-8": { ko: "UTF-8로 된 JSON이어야 합니다", ja: "UTF-8のJSONである必要があります" },
  "must name another file than the other model": {
    ko: "다른 모델과 다른 파일을 지정해야 합니다",
    ja: "もう一方のモデルとは別のファイルを指定する必要があります",
  },
  "must ascend": { ko: "오름차순이어야 합니다", ja: "昇順である必要があります" },
  "must have one item more than edges": {
    ko: "항목 수가 edges보다 1개 많아야 합니다",
    ja: "項目数がedgesより1個多い必要があります",
  },
  "is not a file that the manifest names": {
    ko: "매니페스트에 지정되지 않은 파일입니다",
    ja: "マニフェストで指定されていないファイルです",
  },
  "must be sent once": { ko: "한 번만 보내야 합니다", ja: "1回だけ送信する必要があります" },
  "must have the SHA-256 that the manifest says": {
    ko: "SHA-256이 매니페스트에 적힌 값과 일치해야 합니다",
    ja: "SHA-256がマニフェストに記載された値と一致する必要があります",
  },
  "must be an ONNX model that can be loaded": {
    ko: "불러올 수 있는 ONNX 모델이어야 합니다",
    ja: "読み込み可能なONNXモデルである必要があります",
  },
  "must have an input named {name}": {
    ko: "이름이 다음과 같은 입력이 있어야 합니다: {name}",
    ja: "次の名前の入力が必要です: {name}",
  },
  "must take tensors of float32": {
    ko: "float32 텐서를 입력으로 받아야 합니다",
    ja: "float32のテンソルを入力として受け取る必要があります",
  },
  "must take rows of {limit} features": {
    ko: "피처 {limit}개로 이루어진 행을 입력으로 받아야 합니다",
    ja: "{limit}個の特徴量からなる行を入力として受け取る必要があります",
  },
  "must have an output named {name}": {
    ko: "이름이 다음과 같은 출력이 있어야 합니다: {name}",
    ja: "次の名前の出力が必要です: {name}",
  },
  "must answer a tensor of float32": {
    ko: "float32 텐서를 출력해야 합니다",
    ja: "float32のテンソルを出力する必要があります",
  },
  "must answer one probability for each row": {
    ko: "행마다 확률 하나를 출력해야 합니다",
    ja: "行ごとに確率を1つ出力する必要があります",
  },
  "must answer the same number for the same row": {
    ko: "같은 행에 대해 같은 숫자를 출력해야 합니다",
    ja: "同じ行に対して同じ数値を出力する必要があります",
  },
  "must answer a number from 0 to 1 when every feature is 0": {
    ko: "모든 피처가 0일 때 0에서 1 사이의 수를 출력해야 합니다",
    ja: "すべての特徴量が0のとき、0から1までの数値を出力する必要があります",
  },
  "must run on a row in which every feature is 0": {
    ko: "모든 피처가 0인 행으로 실행할 수 있어야 합니다",
    ja: "すべての特徴量が0の行で実行できる必要があります",
  },
  "must not end the process that it is loaded into": {
    ko: "모델을 불러온 프로세스를 종료시키지 않아야 합니다",
    ja: "モデルを読み込んだプロセスを終了させてはなりません",
  },
  "must load and run within {limit} seconds": {
    ko: "{limit}초 안에 불러와서 실행할 수 있어야 합니다",
    ja: "{limit}秒以内に読み込んで実行できる必要があります",
  },

  "must be a currency of ISO 4217": { ko: "ISO 4217 통화여야 합니다", ja: "ISO 4217の通貨である必要があります" },
  "must name a currency other than the base": {
    ko: "기준 통화가 아닌 통화를 지정해야 합니다",
    ja: "基準通貨以外の通貨を指定する必要があります",
  },
  "must be above 0": { ko: "0보다 커야 합니다", ja: "0より大きい必要があります" },
  "must be 1, being that of the base": {
    ko: "기준 통화의 환율이므로 1이어야 합니다",
    ja: "基準通貨のレートであるため、1である必要があります",
  },

  "is not a {what} of this report": {
    ko: "이 리포트에서 사용할 수 없는 {what}입니다",
    ja: "このレポートでは使用できない{what}です",
  },
  "must be one of the requested metrics or group-bys": {
    ko: "요청한 메트릭 또는 그룹바이 중 하나여야 합니다",
    ja: "リクエストしたメトリックまたはグループバイのいずれかである必要があります",
  },
  "is an uploaded metric that has been archived": {
    ko: "보관 처리된 업로드 메트릭입니다",
    ja: "アーカイブ済みのアップロードメトリックです",
  },
  "must be a calendar date like 2026-03-31": {
    ko: "2026-03-31과 같은 형식의 실제 날짜여야 합니다",
    ja: "2026-03-31のような形式の、実在する日付である必要があります",
  },
  "must not be after to": { ko: "to보다 뒤일 수 없습니다", ja: "toより後にすることはできません" },
  "must not be after {today}, the current date of the app": {
    ko: "앱의 현재 날짜({today})보다 뒤일 수 없습니다",
    ja: "アプリの現在の日付({today})より後にすることはできません",
  },
  "must be at most {limit} dates from from, both counted": {
    ko: "from부터 양 끝을 포함하여 {limit}일 이내여야 합니다",
    ja: "fromから両端を含めて{limit}日以内である必要があります",
  },
  "must not stand beside dimension": {
    ko: "dimension과 함께 사용할 수 없습니다",
    ja: "dimensionと併用することはできません",
  },
  "is not a property of this export": {
    ko: "이 내보내기에서 사용할 수 없는 속성입니다",
    ja: "このエクスポートでは使用できないプロパティです",
  },
  "is not an event of this export": {
    ko: "이 내보내기에서 사용할 수 없는 이벤트입니다",
    ja: "このエクスポートでは使用できないイベントです",
  },
  "must be a date and time like 2026-03-31 23:59:59": {
    ko: "2026-03-31 23:59:59와 같은 형식의 실제 날짜와 시각이어야 합니다",
    ja: "2026-03-31 23:59:59のような形式の、実在する日時である必要があります",
  },
  "must not be after end": { ko: "end보다 뒤일 수 없습니다", ja: "endより後にすることはできません" },
  "must not be before {oldest}, {days} days ago in the app": {
    ko: "앱의 현재 날짜로부터 {days}일 전인 {oldest}보다 앞설 수 없습니다",
    ja: "アプリの現在の日付から{days}日前の{oldest}より前にすることはできません",
  },
  "must be at most {days} days after start": {
    ko: "start로부터 {days}일 이내여야 합니다",
    ja: "startから{days}日以内である必要があります",
  },
  "must not be repeated": { ko: "중복될 수 없습니다", ja: "重複させることはできません" },
  "must be csv or parquet": {
    ko: "csv 또는 parquet이어야 합니다",
    ja: "csvまたはparquetである必要があります",
  },
  "must be startUsers or one of the requested group-bys": {
    ko: "startUsers이거나 요청한 그룹바이 중 하나여야 합니다",
    ja: "startUsers、またはリクエストしたグループバイのいずれかである必要があります",
  },
  "must be one of the totals or of the requested group-bys": {
    ko: "합계 항목 또는 요청한 그룹바이 중 하나여야 합니다",
    ja: "合計項目またはリクエストしたグループバイのいずれかである必要があります",
  },
  "can be hour or minute only with installs as start events": {
    ko: "hour와 minute는 시작 이벤트가 설치일 때만 사용할 수 있습니다",
    ja: "hourとminuteは、開始イベントがインストールの場合にのみ使用できます",
  },
  "must be at most {days} days before the current date of the app": {
    ko: "앱의 현재 날짜로부터 {days}일 이내여야 합니다",
    ja: "アプリの現在の日付から{days}日以内である必要があります",
  },
  "must be cumulative for this metric": {
    ko: "이 메트릭에는 cumulative만 사용할 수 있습니다",
    ja: "このメトリックではcumulativeのみ使用できます",
  },
  "is required with {operator}": { ko: "{operator}에는 필수 항목입니다", ja: "{operator}の場合は必須です" },
  "must have at least 1 item with {operator}": {
    ko: "{operator}에는 항목이 1개 이상이어야 합니다",
    ja: "{operator}の場合は項目が1個以上必要です",
  },
  "must not be before the app was registered": {
    ko: "앱이 등록된 시점보다 앞설 수 없습니다",
    ja: "アプリが登録された時点より前にすることはできません",
  },
  "must not be ahead of the log": {
    ko: "로그의 현재 위치보다 앞설 수 없습니다",
    ja: "ログの現在の位置より先にすることはできません",
  },
  "goes with format=csv only": {
    ko: "format=csv와 함께만 사용할 수 있습니다",
    ja: "format=csvの場合にのみ使用できます",
  },

  "must be an absolute address with its scheme, such as https://example.com/ or myapp://home": {
    ko: "https://example.com/ 또는 myapp://home처럼 스킴을 포함한 절대 주소여야 합니다",
    ja: "https://example.com/ や myapp://home のように、スキームを含む絶対アドレスである必要があります",
  },
  "must have white space, control characters, backslashes, quotes and angle brackets percent-encoded": {
    ko: "공백, 제어 문자, 역슬래시, 따옴표, 꺾쇠괄호는 퍼센트 인코딩해야 합니다",
    ja: "空白、制御文字、バックスラッシュ、引用符、山括弧はパーセントエンコードする必要があります",
  },
  "must have another scheme: this one is not allowed": {
    ko: "허용되지 않는 스킴입니다. 다른 스킴을 사용해야 합니다",
    ja: "許可されていないスキームです。別のスキームを使用する必要があります",
  },
  "must not name a user before the host": {
    ko: "호스트 앞에 사용자 정보를 포함할 수 없습니다",
    ja: "ホストの前にユーザー情報を含めることはできません",
  },
  "must have a host that cannot be mistaken for another: its letters mix scripts or imitate Latin ones": {
    ko: "다른 호스트로 오인될 수 없는 호스트여야 합니다. 여러 문자 체계가 섞여 있거나 라틴 문자를 흉내 낸 문자가 있습니다",
    ja: "他のホストと見間違えられないホストである必要があります。複数の文字体系が混在しているか、ラテン文字に似せた文字が含まれています",
  },
  "must be an http or https address": {
    ko: "http 또는 https 주소여야 합니다",
    ja: "httpまたはhttpsのアドレスである必要があります",
  },
  "must be a channel's name: no reserved one, no control characters, no white space around it": {
    ko: "채널 이름이어야 합니다. 예약된 이름, 제어 문자, 앞뒤 공백은 사용할 수 없습니다",
    ja: "チャネル名である必要があります。予約済みの名前、制御文字、前後の空白は使用できません",
  },
  "must be at least {limit}: this link's code has so many modules": {
    ko: "{limit} 이상이어야 합니다. 이 링크의 QR 코드는 한 변의 모듈 수가 {limit}개입니다",
    ja: "{limit}以上である必要があります。このリンクのQRコードは一辺のモジュール数が{limit}です",
  },

  "must be ISO 8601 with an offset, or epoch milliseconds": {
    ko: "오프셋을 포함한 ISO 8601 형식이거나 밀리초 단위의 에포크 시각이어야 합니다",
    ja: "オフセット付きのISO 8601形式、またはミリ秒単位のエポック時刻である必要があります",
  },
  "must not lie in the future": { ko: "미래의 시각일 수 없습니다", ja: "未来の時刻にすることはできません" },
  "must lie at most 24 hours back": {
    ko: "24시간 이내의 과거여야 합니다",
    ja: "24時間以内の過去である必要があります",
  },
};
