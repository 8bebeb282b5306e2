import type { IncomingMessage } from "node:http";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { parameterValues } from "../request/query-text.ts";

/**
 * Whether a call is that of a certified channel (contract/tokens.md#permissions, contract/conversion-values.md#feeds):
 * its key stands in the header and, once, as the same text in `api_key`, and a `response_format` that is sent is that
 * of the channel. One that is not sent is a missing parameter.
 */
export function isCertifiedCall(
  principal: Principal,
  { headers, url = "" }: Pick<IncomingMessage, "headers" | "url">,
): boolean {
  if (principal.kind !== "channel") return false;
  const [key, ...others] = parameterValues(url, "api_key");
  if (key === undefined || others.length > 0 || key !== keyIn(headers.authorization)) return false;
  return parameterValues(url, "response_format").every((format) => format === principal.responseFormat);
}

function keyIn(authorization: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? null;
}
