import { StartupError } from "../process/startup-error.ts";

/** Advice by the text of the client's or the server's error; `setting` has the address. */
const advices: readonly (readonly [RegExp, (setting: string) => string])[] = [
  [/disk of the event store is nearly full/, () => "Free space on its disk, or lower DISK_RESERVE_MB of its process."],
  [/event at position \d+ is damaged/, () => "touchledger verify --log names what else is damaged."],
  [
    /wrong version number|packet length too long/,
    (setting) => `It has no TLS: add tls=false to ${setting}, or set TLS up there.`,
  ],
  [
    /certificate (has expired|is not yet valid)/i,
    () => "Its certificate is not valid today: renew it there, or set the clock.",
  ],
  [
    /altnames/i,
    (setting) =>
      `Its certificate is for other hosts: name one of them in ${setting}, or see docs/event-store.md#certificates.`,
  ],
  [
    /self.signed|unable to (get|verify)/i,
    (setting) => `Its certificate is not trusted: name its CA with tlsCAFile=<path> in ${setting}.`,
  ],
  [
    /UNAUTHENTICATED/,
    (setting) => `It needs a user, or refuses the password: esdb://user:password@host:2113 in ${setting}.`,
  ],
  [/PERMISSION_DENIED|AccessDenied/, () => "Its user lacks rights, see docs/event-store.md#user."],
  [
    // How gRPC reports a server that closes each new connection.
    /Last error: Failed to connect/,
    (setting) => `It closes connections: if it has TLS, remove tls=false from ${setting}; else check the port there.`,
  ],
  [/./, (setting) => `Is ${setting} right, and does it run?`],
];

/** The startup error for a failed event store, with advice in one line; `setting` is the variable with its address. */
export function unusableStore(failure: unknown, store = "event store", setting = "EVENTSTORE_URL"): StartupError {
  const reason = (failure instanceof Error ? failure.message : String(failure)).replace(/\s+/g, " ");
  const [, advice] = advices.find(([pattern]) => pattern.test(reason)) ?? [null, () => ""];
  return new StartupError(`The ${store} cannot be used. ${advice(setting)} (${reason})`, { cause: failure });
}
