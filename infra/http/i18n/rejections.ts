import type { Translations } from "./translation.ts";

/** Details of what decisions refuse, one for each code and those that say more. */
export const rejections: Translations = {
  "An app of that name is registered already.": {
    ko: "같은 이름의 앱이 이미 등록되어 있습니다.",
    ja: "その名前のアプリは既に登録されています。",
  },
  "The name {name} is taken.": {
    ko: "이미 사용 중인 이름입니다: {name}",
    ja: "既に使用されている名前です: {name}",
  },
  "A channel's name is 1 to 256 of a-z, 0-9, dot, hyphen and underscore.": {
    ko: "채널 이름은 a-z, 0-9, 점, 하이픈, 밑줄로 이루어진 1~256자여야 합니다.",
    ja: "チャネル名は、a-z、0-9、ドット、ハイフン、アンダースコアからなる1〜256文字である必要があります。",
  },
  "That model bundle is active; activate another one in its place first.": {
    ko: "활성화된 모델 번들입니다. 먼저 다른 번들로 교체해 활성화해 주십시오.",
    ja: "このモデルバンドルは有効です。先に別のバンドルを代わりに有効化してください。",
  },
  "That bundleId belongs to another model bundle.": {
    ko: "이 bundleId는 다른 모델 번들에 사용되었습니다.",
    ja: "このbundleIdは別のモデルバンドルで使用されています。",
  },
  "There is no such model bundle.": {
    ko: "해당 모델 번들이 없습니다.",
    ja: "該当するモデルバンドルは存在しません。",
  },
  "That model bundle is retired, and never active again.": {
    ko: "폐기된 모델 번들이므로 다시 활성화할 수 없습니다.",
    ja: "このモデルバンドルは廃止されているため、再び有効化することはできません。",
  },
  "That name means something else in reports.": {
    ko: "리포트에서 다른 의미로 쓰이는 이름입니다.",
    ja: "レポートで別の意味に使われている名前です。",
  },
  "Only a token of role media_partner carries channels.": {
    ko: "채널은 media_partner 역할의 토큰에만 지정할 수 있습니다.",
    ja: "チャネルを指定できるのは、media_partnerロールのトークンのみです。",
  },
  "A token of role media_partner needs the channels that it may see.": {
    ko: "media_partner 역할의 토큰에는 볼 수 있는 채널을 지정해야 합니다.",
    ja: "media_partnerロールのトークンには、閲覧できるチャネルを指定する必要があります。",
  },
  "Rates are set for dates from 2000-01-01 to tomorrow.": {
    ko: "환율은 2000-01-01부터 내일까지의 날짜에 대해 설정할 수 있습니다.",
    ja: "為替レートは、2000-01-01から明日までの日付に対して設定できます。",
  },
  "Rates are set for dates from {earliest} to {latest}.": {
    ko: "환율을 설정할 수 있는 날짜 범위: {earliest} ~ {latest}",
    ja: "為替レートを設定できる日付の範囲: {earliest}〜{latest}",
  },
  "A rate is above 0, of a currency of ISO 4217; that of the base is 1.": {
    ko: "환율은 ISO 4217 통화에 대한 0보다 큰 값이어야 하며, 기준 통화의 환율은 1입니다.",
    ja: "為替レートは、ISO 4217の通貨に対する0より大きい値である必要があります。基準通貨のレートは1です。",
  },
  "That Idempotency-Key belongs to another request; send a fresh one.": {
    ko: "이 Idempotency-Key는 다른 요청에 사용되었습니다. 새로운 키를 보내 주십시오.",
    ja: "このIdempotency-Keyは別のリクエストで使用されています。新しいキーを送信してください。",
  },
  "A link cannot lead there.": {
    ko: "링크를 해당 목적지로 연결할 수 없습니다.",
    ja: "リンクの遷移先として指定できません。",
  },
  "That report has ended, and ends do not change.": {
    ko: "이미 종료된 리포트이며, 종료된 결과는 바뀌지 않습니다.",
    ja: "このレポートは既に終了しており、終了後の結果は変わりません。",
  },
  "There is no such report.": {
    ko: "해당 리포트가 없습니다.",
    ja: "該当するレポートは存在しません。",
  },
  "That export has already ended.": {
    ko: "이미 종료된 내보내기입니다.",
    ja: "このエクスポートは既に終了しています。",
  },
  "An app may request 100 exports a day; try again after the seconds that Retry-After names.": {
    ko: "앱은 하루에 내보내기를 100회까지 요청할 수 있습니다. Retry-After에 표시된 초가 지난 뒤 다시 시도해 주십시오.",
    ja: "アプリがリクエストできるエクスポートは1日100回までです。Retry-Afterに示された秒数が過ぎてから、もう一度お試しください。",
  },
  "There is no such export.": {
    ko: "해당 내보내기가 없습니다.",
    ja: "該当するエクスポートは存在しません。",
  },
  "Only a token of kind api carries a role.": {
    ko: "역할은 api 종류의 토큰에만 지정할 수 있습니다.",
    ja: "ロールを指定できるのは、種別がapiのトークンのみです。",
  },
  "A token of kind api needs a role.": {
    ko: "api 종류의 토큰에는 역할을 지정해야 합니다.",
    ja: "種別がapiのトークンには、ロールを指定する必要があります。",
  },
  "That short id is taken.": {
    ko: "이미 사용 중인 단축 ID입니다.",
    ja: "そのショートIDは既に使用されています。",
  },
  "That token has been issued already.": {
    ko: "이미 발급된 토큰입니다.",
    ja: "そのトークンは既に発行されています。",
  },
  "There is no such token.": {
    ko: "해당 토큰이 없습니다.",
    ja: "該当するトークンは存在しません。",
  },
  "There is no such tracking link.": {
    ko: "해당 트래킹 링크가 없습니다.",
    ja: "該当するトラッキングリンクは存在しません。",
  },
  "That upload's file has been accepted.": {
    ko: "이 업로드의 파일은 이미 승인되었습니다.",
    ja: "このアップロードのファイルは既に承認されています。",
  },
  "That upload has ended, and ends do not change.": {
    ko: "이미 종료된 업로드이며, 종료된 결과는 바뀌지 않습니다.",
    ja: "このアップロードは既に終了しており、終了後の結果は変わりません。",
  },
  "The rows of that upload are in reports already.": {
    ko: "이 업로드의 행은 이미 리포트에 반영되었습니다.",
    ja: "このアップロードの行は既にレポートに反映されています。",
  },
  "There is no such upload.": {
    ko: "해당 업로드가 없습니다.",
    ja: "該当するアップロードは存在しません。",
  },
  "Those are not the next rows of that upload's file.": {
    ko: "이 업로드 파일의 다음 순서에 해당하는 행이 아닙니다.",
    ja: "このアップロードのファイルで次に来るべき行ではありません。",
  },
  "That upload has not come so far.": {
    ko: "이 업로드는 아직 해당 단계에 이르지 않았습니다.",
    ja: "このアップロードはまだその段階に達していません。",
  },
  "The app has never uploaded a metric of that name.": {
    ko: "이 앱에서 해당 이름의 메트릭을 업로드한 적이 없습니다.",
    ja: "このアプリは、その名前のメトリックをアップロードしたことがありません。",
  },
};
