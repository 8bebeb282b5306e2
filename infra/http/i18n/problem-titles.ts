import type { Translations } from "./translation.ts";

/** Titles of problems (contract/http.md#errors). */
export const problemTitles: Translations = {
  "Bad request": { ko: "잘못된 요청", ja: "不正なリクエスト" },
  Conflict: { ko: "충돌", ja: "競合" },
  Forbidden: { ko: "권한 없음", ja: "権限がありません" },
  "Internal error": { ko: "내부 오류", ja: "内部エラー" },
  "Method not allowed": { ko: "허용되지 않는 메서드", ja: "許可されていないメソッド" },
  "Not decided yet": { ko: "아직 결정되지 않음", ja: "まだ決定されていません" },
  "Not found": { ko: "찾을 수 없음", ja: "見つかりません" },
  "Payload too large": { ko: "요청 본문이 너무 큼", ja: "リクエスト本文が大きすぎます" },
  "Range not satisfiable": { ko: "범위를 충족할 수 없음", ja: "範囲を満たせません" },
  "Service unavailable": { ko: "서비스를 사용할 수 없음", ja: "サービスを利用できません" },
  "Too many requests": { ko: "너무 많은 요청", ja: "リクエストが多すぎます" },
  Unauthorized: { ko: "인증되지 않음", ja: "認証されていません" },
  "Unprocessable content": { ko: "처리할 수 없는 내용", ja: "処理できない内容" },
  "Unsupported media type": { ko: "지원하지 않는 미디어 유형", ja: "サポートされていないメディアタイプ" },
};
