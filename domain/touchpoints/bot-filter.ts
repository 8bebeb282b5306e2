import type { HumanVerdict, TouchpointOrigin } from "./events.ts";

/** The properties of a touchpoint's client that the bot filter uses. */
export interface TouchpointClient {
  readonly origin: TouchpointOrigin;
  /** Null when none was sent. */
  readonly userAgent: string | null;
  /** Name of the known bot that the user agent belongs to (`commands/touchpoints/bot-name.ts`); null for none. */
  readonly botName: string | null;
}

/** Returns the bot's name, or null. */
type Policy = (client: TouchpointClient) => string | null;

const human: HumanVerdict = { human: true };

const declaresItself: Policy = ({ botName }) => botName;

/** Every browser sends a user agent; a partner's server may not know it. */
const browsesWithoutUserAgent: Policy = ({ origin, userAgent }) =>
  userAgent === null && (origin === "redirect" || origin === "view") ? "no-user-agent" : null;

const policies: readonly Policy[] = [declaresItself, browsesWithoutUserAgent];

/**
 * Whether a touchpoint is a person's (contract/tracking-links.md#opening). A bot's touchpoint is recorded with the
 * bot's name; reports and attribution exclude it.
 */
export function humanVerdict(client: TouchpointClient): HumanVerdict {
  for (const policy of policies) {
    const bot = policy(client);
    if (bot !== null) return { human: false, bot };
  }
  return human;
}
