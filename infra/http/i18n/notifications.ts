import type { Translations } from "./translation.ts";

/** Messages of reports' notifications (contract/reports.md#notifications), those of failures among them. */
export const notifications: Translations = {
  "Data of channels that this token may not see were left out.": {
    ko: "이 토큰으로 볼 수 없는 채널의 데이터는 제외되었습니다.",
    ja: "このトークンでは閲覧できないチャネルのデータは除外されました。",
  },
  "Data of self-attributing networks were left out of the cells that are marked: of months with {impressions} impressions or fewer, or {installs} installs or fewer.":
    {
      ko: "표시된 셀에서 자체 어트리뷰션 네트워크의 데이터가 제외되었습니다. 노출이 {impressions}회 이하이거나 설치가 {installs}회 이하인 월의 데이터가 해당합니다.",
      ja: "マークされたセルから、自己アトリビューションネットワークのデータが除外されました。インプレッションが{impressions}回以下、またはインストールが{installs}件以下の月のデータが対象です。",
    },
  "Data attributed to self-attributing networks more than {days} days ago were left out.": {
    ko: "{days}일보다 이전에 자체 어트리뷰션 네트워크에 어트리뷰션된 데이터는 제외되었습니다.",
    ja: "{days}日より前に自己アトリビューションネットワークへアトリビューションされたデータは除外されました。",
  },
  "The result has more than {groups} groups, or more than {rows} rows in all groups together: these are the first groups by the sort. Ask for fewer days, a coarser granularity or fewer group-bys, or add a filter.":
    {
      ko: "결과가 {groups}개 그룹을 초과하거나 모든 그룹을 합쳐 {rows}행을 초과하여 정렬 순서상 앞의 그룹만 표시합니다. 기간이나 그룹바이를 줄이거나, 집계 단위를 더 크게 하거나, 필터를 추가해 주십시오.",
      ja: "結果が{groups}グループを超えているか、全グループの合計で{rows}行を超えているため、並び順の先頭のグループのみを表示しています。期間やグループバイを減らすか、集計単位を粗くするか、フィルターを追加してください。",
    },
  "The result has more than {rows} rows: these are the first by the sort. A raw data export holds them all.": {
    ko: "결과가 {rows}행을 초과하여 정렬 순서상 앞의 행만 표시합니다. 전체 행은 로데이터 익스포트에서 확인할 수 있습니다.",
    ja: "結果が{rows}行を超えているため、並び順の先頭の行のみを表示しています。すべての行はローデータエクスポートで確認できます。",
  },
  "The result has more than {groups} groups, or more than {intervals} intervals in which something happened: these are the first groups in their order. Ask for a coarser granularity or fewer group-bys, or add a filter.":
    {
      ko: "결과가 {groups}개 그룹을 초과하거나 활동이 있는 구간이 {intervals}개를 초과하여 순서상 앞의 그룹만 표시합니다. 더 큰 단위로 요청하거나 그룹바이를 줄이거나 필터를 추가해 주십시오.",
      ja: "結果が{groups}グループを超えているか、何かが発生した区間が{intervals}件を超えているため、順序の先頭のグループのみを表示しています。より大きい単位でリクエストするか、グループバイを減らすか、フィルターを追加してください。",
    },
  "Amounts were left out because there is no exchange rate for them: {listed}.": {
    ko: "적용할 환율이 없어 제외된 금액이 있습니다: {listed}.",
    ja: "適用できる為替レートがないため、除外された金額があります: {listed}。",
  },
  "The report took too long. Ask for fewer days, fewer group-bys or fewer metrics, or add a filter.": {
    ko: "리포트 처리 시간이 너무 오래 걸렸습니다. 기간, 그룹바이 또는 메트릭을 줄이거나 필터를 추가해 주십시오.",
    ja: "レポートの処理に時間がかかりすぎました。期間、グループバイ、またはメトリックを減らすか、フィルターを追加してください。",
  },
  "One group of the report has more than 10,000 rows. Ask for fewer days, or for a coarser granularity.": {
    ko: "리포트의 한 그룹이 10,000행을 초과합니다. 기간을 줄이거나 더 큰 단위로 요청해 주십시오.",
    ja: "レポートの1つのグループが10,000行を超えています。期間を短くするか、より大きい単位でリクエストしてください。",
  },
  "What the report rests on was not ready within 60 seconds. Ask for it again in a few minutes.": {
    ko: "리포트에 필요한 데이터가 60초 안에 준비되지 않았습니다. 몇 분 뒤에 다시 요청해 주십시오.",
    ja: "レポートに必要なデータが60秒以内に準備できませんでした。数分後にもう一度リクエストしてください。",
  },
  "The report failed for a reason that is not yours. Ask for it again.": {
    ko: "요청과 무관한 문제로 리포트 처리에 실패했습니다. 다시 요청해 주십시오.",
    ja: "リクエストとは関係のない問題により、レポートの処理に失敗しました。もう一度リクエストしてください。",
  },
};
