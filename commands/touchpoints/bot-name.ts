import { isbotMatch } from "isbot";
import { firstCharacters } from "../../domain/values/text.ts";

const maxNameLength = 100;
const address = /https?:[^\s;)]*|[\w.-]{1,60}@[\w.-]+/g;
const afterCompatible = /\bcompatible; ?(?!Mozilla|MSIE)([\w.!-]+(?: [\w.!-]+)*)/;
const leading = /^(?!Mozilla)[\w.!-]+(?: [\w.!-]+)*/;
const trailingVersion = /(?<=\S) v?\d[\w.]*$/;

/**
 * The name of a bot without its version: the text after `compatible;`, else the start unless it is `Mozilla`, else the
 * word that identified it as a bot, else the host of its address. Null when the user agent is no bot's.
 */
export function botNameOf(userAgent: string): string | null {
  const match = isbotMatch(userAgent);
  if (match === null) return null;
  // Many bots are identified by a web address, which is not a name.
  const text = userAgent.replaceAll(address, "");
  const name = afterCompatible.exec(text)?.[1] ?? leading.exec(text)?.[0] ?? wordAround(isbotMatch(text), text);
  return firstCharacters(name?.replace(trailingVersion, "") ?? hostIn(userAgent) ?? match, maxNameLength);
}

function wordAround(match: string | null, text: string): string | null {
  if (match === null) return null;
  const at = text.indexOf(match);
  const before = /[\w.-]*$/.exec(text.slice(0, at))?.[0] ?? "";
  const after = /^[\w.-]*/.exec(text.slice(at))?.[0] ?? "";
  return before + after || null;
}

function hostIn(userAgent: string): string | null {
  return /(?:\/\/|@)([\w.-]+)/.exec(userAgent)?.[1] ?? null;
}
