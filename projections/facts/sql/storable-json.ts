/** JSON that jsonb takes, which has neither U+0000 nor lone surrogates: what has come in all the same is replaced. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "string" ? member.replaceAll("\0", "\ufffd").replace(/\p{Surrogate}/gu, "\ufffd") : member,
  );
}
