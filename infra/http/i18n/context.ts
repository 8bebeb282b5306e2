import type { Translations } from "./translation.ts";

/** What context prediction answers in place of a prediction (contract/prediction.md#errors). */
export const contextMessages: Translations = {
  "Send a known SDK or Web token: Authorization: Bearer <token>.": {
    ko: "유효한 SDK 또는 Web 토큰을 보내 주십시오: Authorization: Bearer <token>.",
    ja: "有効なSDKトークンまたはWebトークンを送信してください: Authorization: Bearer <token>。",
  },
  "There is no such user, or no install of theirs.": {
    ko: "해당 사용자가 없거나 설치 기록이 없습니다.",
    ja: "該当するユーザーが存在しないか、インストールの記録がありません。",
  },
  "Context prediction is switched off for this app.": {
    ko: "이 앱에서는 컨텍스트 예측이 꺼져 있습니다.",
    ja: "このアプリではコンテキスト予測が無効になっています。",
  },
  "More than one device has sent this partner device id.": {
    ko: "둘 이상의 기기가 이 파트너 기기 ID를 보냈습니다.",
    ja: "複数のデバイスがこのパートナーデバイスIDを送信しています。",
  },
  "Send one of userId, partnerDeviceId and serviceExternalUserId, a text that is not blank.": {
    ko: "userId, partnerDeviceId, serviceExternalUserId 중 하나를 비어 있지 않은 텍스트로 보내 주십시오.",
    ja: "userId、partnerDeviceId、serviceExternalUserIdのいずれか1つを、空白でないテキストで送信してください。",
  },
  "The context model features are invalid.": {
    ko: "컨텍스트 모델의 피처 값이 올바르지 않습니다.",
    ja: "コンテキストモデルの特徴量が正しくありません。",
  },
  "Context prediction is not available now; try again.": {
    ko: "지금은 컨텍스트 예측을 사용할 수 없습니다. 다시 시도해 주십시오.",
    ja: "現在コンテキスト予測を利用できません。もう一度お試しください。",
  },
  "The call could not be recorded; try again.": {
    ko: "호출을 기록하지 못했습니다. 다시 시도해 주십시오.",
    ja: "呼び出しを記録できませんでした。もう一度お試しください。",
  },
  "The token cannot be checked now; try again.": {
    ko: "지금은 토큰을 확인할 수 없습니다. 다시 시도해 주십시오.",
    ja: "現在トークンを確認できません。もう一度お試しください。",
  },
  "Too many calls for now; try again after the seconds that Retry-After names.": {
    ko: "지금은 호출이 너무 많습니다. Retry-After에 표시된 초가 지난 뒤 다시 시도해 주십시오.",
    ja: "現在呼び出しが多すぎます。Retry-Afterに示された秒数が過ぎてから、もう一度お試しください。",
  },
  "This app has no context call of that request id.": {
    ko: "이 앱에는 해당 요청 ID의 컨텍스트 호출이 없습니다.",
    ja: "このアプリには、該当するリクエストIDのコンテキスト呼び出しがありません。",
  },
  "That call was refused before anything was computed for it, so that there is nothing to compute again.": {
    ko: "해당 호출은 계산이 이루어지기 전에 거부되어 다시 계산할 것이 없습니다.",
    ja: "その呼び出しは計算が行われる前に拒否されたため、再計算するものがありません。",
  },
};
