import { type Fault, fault, type Path } from "../fault.ts";
import { isLongerThan } from "../values/text.ts";
import { parsedUrl } from "../values/url.ts";
import { isHomographHost } from "./idn-homographs.ts";

/** A web address, or an app addressed by its own scheme. */
export type Destination =
  | { readonly kind: "web"; readonly url: URL }
  | { readonly kind: "app"; readonly scheme: string; readonly uri: string };

export type DestinationFault =
  | "too_long"
  | "not_absolute"
  | "forbidden_character"
  | "scheme_refused"
  | "names_a_user"
  | "look_alike_host"
  | "not_a_web_address";

/** Characters. */
export const maxDestinationLength = 2_048;

/** Schemes that no link may open (contract/tracking-links.md#destinations). */
const refusedSchemes: ReadonlySet<string> = new Set([
  // Run scripts, read local data, or are handled by no app.
  ...["javascript", "data", "vbscript", "file", "filesystem", "blob", "content", "mhtml", "jar", "res", "resource"],
  ...["ws", "wss", "ftp", "sftp"],
  // Address the browser, or another app by its internals.
  ...["about", "view-source", "chrome", "chrome-extension", "moz-extension", "edge", "microsoft-edge"],
  ...["intent", "android-app"],
  // Reach into the operating system: installation, settings, search, calls and messages, shells and remote hosts.
  ...["itms-services", "app-settings", "app-prefs", "prefs", "x-apple.systempreferences", "x-help-script"],
  ...["search-ms", "search", "shell", "hcp", "help", "windowsdefender", "x-man-page", "ldap", "ldaps"],
  ...["tel", "telprompt", "callto", "facetime", "facetime-audio", "sms", "smsto", "mms", "mmsto", "wtai"],
  ...["feed", "feeds", "webcal", "webcals", "ssh", "telnet", "smb", "afp", "nfs", "rdp", "vnc"],
]);
/** Windows and Office register many of these. */
const refusedPrefix = "ms-";

const schemePattern = /^([a-z][a-z0-9+.-]{1,30}):/i;
// Browsers drop tabs and line ends inside an address and read a backslash as a slash.
const forbiddenCharacters = /[\p{Cc}\p{Z}\p{Cs}\\<>"]/u;

/** Parses a deeplink; returns the destination or the fault (contract/tracking-links.md#destinations). */
export function readDestination(text: string): Destination | DestinationFault {
  return isLongerThan(text, maxDestinationLength) ? "too_long" : parseDestination(text);
}

/**
 * Parses an address of any length: that of a click is longer than the link's, as it is percent-encoded and has the id of
 * the click. An http(s) address is parsed as browsers parse it, so that the host checked here is the host they open.
 */
export function parseDestination(text: string): Destination | Exclude<DestinationFault, "too_long"> {
  if (forbiddenCharacters.test(text)) return "forbidden_character";
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return "not_absolute";
  if (refusedSchemes.has(scheme) || scheme.startsWith(refusedPrefix)) return "scheme_refused";
  const rest = text.slice(scheme.length + 1);
  if (rest.startsWith("//") && authorityOf(rest).includes("@")) return "names_a_user";
  if (scheme !== "http" && scheme !== "https") return { kind: "app", scheme, uri: `${scheme}:${asciiOf(rest)}` };
  const url = rest.startsWith("//") && authorityOf(rest) !== "" ? parsedUrl(text) : null;
  if (url === null) return "not_absolute";
  return isHomographHost(url.hostname) ? "look_alike_host" : { kind: "web", url };
}

/** Parses a fallback or image, which must be a web address (contract/tracking-links.md#destinations). */
export function readWebAddress(text: string): Extract<Destination, { kind: "web" }> | DestinationFault {
  const destination = readDestination(text);
  if (typeof destination === "string" || destination.kind === "web") return destination;
  return "not_a_web_address";
}

function authorityOf(rest: string): string {
  return rest.slice(2).split(/[/?#]/, 1)[0] ?? "";
}

/** Headers can contain only ASCII. */
function asciiOf(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

/** The fault of an address that no click may lead to (contract/tracking-links.md#destinations), at its place in the request. */
export function destinationFaults(path: Path, read: Destination | DestinationFault): readonly Fault[] {
  if (typeof read !== "string") return [];
  const params = read === "too_long" ? { limit: maxDestinationLength } : undefined;
  return [fault(`destination_${read}`, path, params)];
}
