import type { Translations } from "./translation.ts";

/** Details of problems that any route can answer, and of those that reading answers (contract/http.md#errors). */
export const problemDetails: Translations = {
  "Send a known token: Authorization: Bearer <token>.": {
    ko: "유효한 토큰을 보내 주십시오: Authorization: Bearer <token>.",
    ja: "有効なトークンを送信してください: Authorization: Bearer <token>。",
  },
  "This token may not do this.": {
    ko: "이 토큰에는 해당 작업에 대한 권한이 없습니다.",
    ja: "このトークンにはこの操作を行う権限がありません。",
  },
  "There is no such app, or this token may not see it.": {
    ko: "해당 앱이 없거나 이 토큰으로는 볼 수 없습니다.",
    ja: "該当するアプリが存在しないか、このトークンでは閲覧できません。",
  },
  "There is no such report task, or it ended more than 7 days ago.": {
    ko: "해당 리포트 작업이 없거나 종료된 지 7일이 지났습니다.",
    ja: "該当するレポートタスクが存在しないか、終了してから7日を過ぎています。",
  },
  "This token has sent too many requests; try again after the seconds that Retry-After names.": {
    ko: "이 토큰으로 보낸 요청이 너무 많습니다. Retry-After에 표시된 초가 지난 뒤 다시 시도해 주십시오.",
    ja: "このトークンからのリクエストが多すぎます。Retry-Afterに示された秒数が過ぎてから、もう一度お試しください。",
  },
  "There is no such resource.": {
    ko: "해당 리소스가 없습니다.",
    ja: "該当するリソースは存在しません。",
  },
  "This path exists, but not with this method.": {
    ko: "이 경로는 있지만 해당 메서드를 지원하지 않습니다.",
    ja: "このパスは存在しますが、このメソッドには対応していません。",
  },
  "The body is larger than this endpoint takes.": {
    ko: "요청 본문이 이 엔드포인트가 받을 수 있는 크기를 초과합니다.",
    ja: "リクエスト本文が、このエンドポイントで受け付けられるサイズを超えています。",
  },
  "Send application/json.": {
    ko: "application/json으로 보내 주십시오.",
    ja: "application/jsonで送信してください。",
  },
  "Send application/json or application/x-www-form-urlencoded.": {
    ko: "application/json 또는 application/x-www-form-urlencoded로 보내 주십시오.",
    ja: "application/jsonまたはapplication/x-www-form-urlencodedで送信してください。",
  },
  "This endpoint does not take that Content-Encoding.": {
    ko: "이 엔드포인트는 해당 Content-Encoding을 지원하지 않습니다.",
    ja: "このエンドポイントは、指定されたContent-Encodingに対応していません。",
  },
  "The body is not valid gzip.": {
    ko: "요청 본문이 올바른 gzip 형식이 아닙니다.",
    ja: "リクエスト本文が正しいgzip形式ではありません。",
  },
  "The request cannot be understood.": {
    ko: "요청을 이해할 수 없습니다.",
    ja: "リクエストを解釈できません。",
  },
  "The body is not valid JSON.": {
    ko: "요청 본문이 올바른 JSON 형식이 아닙니다.",
    ja: "リクエスト本文が正しいJSON形式ではありません。",
  },
  "Send multipart/form-data, with its boundary, that holds one file part.": {
    ko: "파일 파트 하나를 담은 multipart/form-data를 boundary와 함께 보내 주십시오.",
    ja: "ファイルパートを1つ含むmultipart/form-dataを、boundaryを付けて送信してください。",
  },
  "Send multipart/form-data, with its boundary, that holds the files.": {
    ko: "파일들을 담은 multipart/form-data를 boundary와 함께 보내 주십시오.",
    ja: "ファイルを含むmultipart/form-dataを、boundaryを付けて送信してください。",
  },
  "The body is not valid multipart/form-data: a part is broken, or the end is missing.": {
    ko: "요청 본문이 올바른 multipart/form-data가 아닙니다. 파트가 손상되었거나 끝부분이 없습니다.",
    ja: "リクエスト本文が正しいmultipart/form-dataではありません。パートが壊れているか、終端がありません。",
  },
  "Some fields are missing or wrong; see errors.": {
    ko: "누락되었거나 잘못된 필드가 있습니다. errors를 확인해 주십시오.",
    ja: "不足している、または正しくないフィールドがあります。errorsを確認してください。",
  },
  "The event store or the database cannot be reached; try again.": {
    ko: "이벤트 저장소 또는 데이터베이스에 연결할 수 없습니다. 다시 시도해 주십시오.",
    ja: "イベントストアまたはデータベースに接続できません。もう一度お試しください。",
  },
  "The read models have not reached X-Min-Position yet; try again.": {
    ko: "읽기 모델이 아직 X-Min-Position에 도달하지 않았습니다. 다시 시도해 주십시오.",
    ja: "リードモデルがまだX-Min-Positionに達していません。もう一度お試しください。",
  },
  "The server is being started; try again.": {
    ko: "서버를 시작하는 중입니다. 다시 시도해 주십시오.",
    ja: "サーバーを起動しています。もう一度お試しください。",
  },
  "Too much is waiting to be written; try again.": {
    ko: "기록을 기다리는 데이터가 너무 많습니다. 다시 시도해 주십시오.",
    ja: "書き込み待ちのデータが多すぎます。もう一度お試しください。",
  },
  "As many files are being downloaded as this server sends at once; try again.": {
    ko: "이 서버가 동시에 전송할 수 있는 만큼의 파일이 이미 다운로드되고 있습니다. 다시 시도해 주십시오.",
    ja: "このサーバーが同時に送信できる数のファイルが既にダウンロードされています。もう一度お試しください。",
  },
  "Something went wrong on our side.": {
    ko: "서버에서 문제가 발생했습니다.",
    ja: "サーバー側で問題が発生しました。",
  },
  "This app has no install, deeplink open or deeplink pageview of that id.": {
    ko: "이 앱에는 해당 ID의 설치, 딥링크 오픈, 딥링크 페이지뷰가 없습니다.",
    ja: "このアプリには、該当するIDのインストール、ディープリンクオープン、ディープリンクページビューがありません。",
  },
  "The event is known and its attribution is not decided yet; try again.": {
    ko: "이벤트는 접수되었으나 어트리뷰션이 아직 결정되지 않았습니다. 다시 시도해 주십시오.",
    ja: "イベントは受け付けられていますが、アトリビューションがまだ決定されていません。もう一度お試しください。",
  },
  "The rows of this report are being computed again from the log; try again.": {
    ko: "이 리포트의 행을 로그에서 다시 계산하고 있습니다. 다시 시도해 주십시오.",
    ja: "このレポートの行をログから再計算しています。もう一度お試しください。",
  },
  "There is no result to explain: the report has not ended yet, or it failed or was canceled.": {
    ko: "설명할 결과가 없습니다. 리포트가 아직 종료되지 않았거나, 실패했거나 취소되었습니다.",
    ja: "説明できる結果がありません。レポートがまだ終了していないか、失敗したか、キャンセルされています。",
  },
  "It took too long to find what is behind this cell. Ask for a report with more group-bys, fewer days or a filter, and explain its cells.":
    {
      ko: "이 셀의 근거를 찾는 데 시간이 너무 오래 걸렸습니다. 그룹바이를 늘리거나 기간을 줄이거나 필터를 추가한 리포트를 요청하여 그 셀을 설명받아 주십시오.",
      ja: "このセルの根拠を見つけるのに時間がかかりすぎました。グループバイを増やすか、期間を短くするか、フィルターを追加したレポートをリクエストし、そのセルの説明を取得してください。",
    },
  "This is not an address that was given out, or it was changed on the way.": {
    ko: "발급된 주소가 아니거나 도중에 변경된 주소입니다.",
    ja: "発行されたアドレスではないか、途中で変更されたアドレスです。",
  },
  "This address has expired; ask for the export's status to get another one.": {
    ko: "이 주소는 만료되었습니다. 내보내기 상태를 다시 조회하여 새 주소를 받아 주십시오.",
    ja: "このアドレスは期限切れです。エクスポートの状態を再度取得して、新しいアドレスを受け取ってください。",
  },
  "The file ends before the range that was asked for.": {
    ko: "파일이 요청한 범위보다 앞에서 끝납니다.",
    ja: "ファイルはリクエストされた範囲より前で終わっています。",
  },
  "The read models did not reach this export's position in time; request it again.": {
    ko: "읽기 모델이 제때 이 내보내기의 위치에 도달하지 못했습니다. 다시 요청해 주십시오.",
    ja: "リードモデルが時間内にこのエクスポートの位置に達しませんでした。もう一度リクエストしてください。",
  },
  "The rows of this export could not be read; request it again.": {
    ko: "이 내보내기의 행을 읽을 수 없었습니다. 다시 요청해 주십시오.",
    ja: "このエクスポートの行を読み取れませんでした。もう一度リクエストしてください。",
  },
  "There is no such upload, or this token may not see it.": {
    ko: "해당 업로드가 없거나 이 토큰으로는 볼 수 없습니다.",
    ja: "該当するアップロードが存在しないか、このトークンでは閲覧できません。",
  },
};
