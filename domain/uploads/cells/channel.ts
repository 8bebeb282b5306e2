import { type CellFault, cellFault, type ReadCell, type UploadRules } from "./cell.ts";

const notChannel = cellFault("must not hold control characters");
const reserved = cellFault("means something else in reports: name the channel");
const notLower = cellFault("must be the channel's name, which is in lower case");
const costIntegrated = cellFault("is a channel whose cost comes by itself: it cannot be uploaded");

/**
 * A registered channel by its name, else by its display name, else a custom channel as spelled
 * (contract/administration.md#channels).
 */
export const readChannel: ReadCell = (text, rules) => {
  if (rules.channelNamed(text) !== null) return text;
  return faultOfName(text, rules) ?? rules.channelShownAs(text)?.name ?? text;
};

/** Legacy cost: a lower-case name, of a channel without cost integration (contract/uploads.md#legacy-cost). */
export const readLowerChannel: ReadCell = (text, rules) => {
  if (text !== text.toLowerCase()) return notLower;
  const registered = rules.channelNamed(text);
  if (registered === null) return faultOfName(text, rules) ?? text;
  return registered.costIntegrated ? costIntegrated : text;
};

/** A name that is not reserved can only be wrong by control characters: `faultOfAnyCell` refuses the rest. */
function faultOfName(text: string, rules: UploadRules): CellFault | null {
  if (rules.isChannelName(text)) return null;
  return rules.isReservedChannel(text) ? reserved : notChannel;
}
