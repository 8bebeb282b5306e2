import type { Message } from "../../fault.ts";
import type { ReadCell, UploadRules } from "./cell.ts";

const controlCharacters = { code: "cell.control_characters" };
const reserved = { code: "cell.reserved_channel" };
const notLower = { code: "cell.channel_not_lower_case" };
const costIntegrated = { code: "cell.cost_integrated" };

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

/** A name that is not reserved can only be invalid because of control characters: `faultOfAnyCell` refuses the rest. */
function faultOfName(text: string, rules: UploadRules): Message | null {
  if (rules.isChannelName(text)) return null;
  return rules.isReservedChannel(text) ? reserved : controlCharacters;
}
