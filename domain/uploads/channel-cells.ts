import { type CellFault, cellFault, type ReadCell } from "./cell.ts";
import type { UploadRules } from "./upload-rules.ts";

const notChannel = cellFault("must not hold control characters");
const reserved = cellFault("means something else in reports: name the channel");
const notLower = cellFault("must be the channel's name, which is in lower case");
const costIntegrated = cellFault("is a channel whose cost comes by itself: it cannot be uploaded");

/**
 * Ad spend and metrics: a registered channel by its own name, else one by the name that the dashboard shows, else a
 * custom channel as spelled (contract/uploads.md#legacy-cost, contract/administration.md#channels).
 */
export const readChannel: ReadCell = (text, rules) => {
  if (rules.channelNamed(text) !== null) return text;
  return faultOfName(text, rules) ?? rules.channelShownAs(text)?.name ?? text;
};

/**
 * Legacy cost: the lower-case name, and only of channels whose cost does not come by itself
 * (contract/uploads.md#legacy-cost).
 */
export const readLowerChannel: ReadCell = (text, rules) => {
  if (text !== text.toLowerCase()) return notLower;
  const registered = rules.channelNamed(text);
  if (registered === null) return faultOfName(text, rules) ?? text;
  return registered.costIntegrated ? costIntegrated : text;
};

/** Outer white space and length are refused in every column, so that control characters are what is left. */
function faultOfName(text: string, rules: UploadRules): CellFault | null {
  if (rules.isChannelName(text)) return null;
  return rules.isReservedChannel(text) ? reserved : notChannel;
}
