import type { HumanVerdict, TouchpointOrigin } from "./events.ts";

/** Who stands behind a touchpoint, as far as it can be told. */
export interface TouchpointClient {
  readonly origin: TouchpointOrigin;
  /** Null when none was sent. */
  readonly userAgent: string | null;
  /** The name of the known bot that the user agent is; null when it is none. */
  readonly botName: string | null;
}

/** Null: nothing against a person; else the bot's name. */
type Policy = (visitor: TouchpointClient) => string | null;

const human: HumanVerdict = { human: true };

const declaresItself: Policy = ({ botName }) => botName;

/** Every browser sends one; behind a partner's server it may simply not be known. */
const browsesWithoutUserAgent: Policy = ({ origin, userAgent }) =>
  userAgent === null && (origin === "redirect" || origin === "view") ? "no-user-agent" : null;

const policies: readonly Policy[] = [declaresItself, browsesWithoutUserAgent];

/**
 * Whether a person clicked (contract/tracking-links.md#opening). What a bot does is recorded with its name, counts
 * nowhere and attributes nothing.
 */
export function humanVerdict(visitor: TouchpointClient): HumanVerdict {
  for (const policy of policies) {
    const bot = policy(visitor);
    if (bot !== null) return { human: false, bot };
  }
  return human;
}
