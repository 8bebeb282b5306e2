export type PublicAddress = { readonly address: string } | { readonly fault: string };

const schemes = ["http://", "https://"];
const noHost = "must have a host, and no port but one from 1 to 65535, as https://links.example:8443/l has";

/**
 * Normalises an address of this server: scheme and host in lower case, no default port, no dot after the host, no final
 * slash. A fault for addresses that no path can be appended to, or that cannot be called.
 */
export function publicAddress(text: string): PublicAddress {
  if (/[\s\p{Cc}\\]/u.test(text)) return { fault: "must have no spaces, control characters or backslashes" };
  if (!schemes.some((scheme) => text.toLowerCase().startsWith(scheme))) {
    return { fault: `must be an address that starts with ${schemes.join(" or ")}` };
  }
  // A host that is left out would be taken from the path.
  if (/^\w+:\/\/\//.test(text) || !URL.canParse(text)) return { fault: noHost };
  const { protocol, hostname, port, pathname, username, password } = new URL(text);
  if (username !== "" || password !== "" || /[?#]/.test(text)) {
    return { fault: "must be scheme, host and path only: no user, query or fragment" };
  }
  const host = hostname.replace(/\.$/, "");
  if (port === "0" || host.split(".").includes("")) return { fault: noHost };
  return { address: `${protocol}//${host}${port && `:${port}`}${pathname.replace(/\/+$/, "")}` };
}
