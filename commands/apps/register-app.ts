import { randomBytes } from "node:crypto";
import { appRegistry, registrationOf } from "../../domain/apps/app-registry.ts";
import type { AppSettings } from "../../domain/apps/events.ts";
import type { LogPosition } from "../../domain/event.ts";
import { appRegistryStream } from "../../domain/streams.ts";
import type { TokenKind } from "../../domain/tokens/events.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Route, reply, route } from "../../infra/http/routing/route.ts";
import { type Cause, causeOf } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";
import { refuseWith } from "../rejection-statuses.ts";
import { type GeneratedToken, generateToken, issueToken } from "../tokens/issue-token.ts";
import { distinctHosts, registerBody } from "./app-schema.ts";
import { registerAppDocs } from "./docs.ts";

export interface RegisterAppDeps {
  readonly log: EventLog;
  /** Makes the new app known to this process. */
  onAppRegistered(): Promise<void>;
}

type FirstTokens = Readonly<Record<TokenKind, GeneratedToken>>;

const saltBytes = 32;

/**
 * `POST /admin/v1/apps`: registers an app and issues its first four tokens (contract/administration.md#apps). The name
 * is claimed first: a failure after that leaves an app for which the operator must issue tokens.
 */
export function registerAppRoute({ log, onAppRegistered }: RegisterAppDeps): Route {
  return route({
    method: "post",
    path: "/admin/v1/apps",
    docs: registerAppDocs,
    operation: "operate",
    body: registerBody,
    handle: async (request) => {
      const { redirectHosts = [], ...given } = request.body;
      const settings: AppSettings = {
        ...noOptionalSettings,
        ...given,
        redirectHosts: distinctHosts(redirectHosts),
      };
      const cause = causeOf(request);
      const tokens: FirstTokens = {
        api: generateToken("api"),
        link: generateToken("link"),
        sdk: generateToken("sdk"),
        web: generateToken("web"),
      };
      const command = {
        type: "RegisterApp" as const,
        settings,
        salt: randomBytes(saltBytes).toString("hex"),
        tokenIds: mapTokens(tokens, ({ tokenId }) => tokenId),
      };
      const registered = await handleCommand(log, appRegistry, appRegistryStream, cause.requestId, command, cause);
      if (registered.outcome === "rejected") return refuseWith(registered.rejection);
      await onAppRegistered();

      const { name, timezone, currency } = settings;
      const id = registrationOf(registered.state, name)?.appId ?? registered.state.count;
      const position = await issueTokens(log, id, tokens, cause);
      const data = { app: { id, name, timezone, currency }, tokens: mapTokens(tokens, ({ text }) => text) };
      const issued = Object.values(tokens).map(({ tokenId }) => tokenId);
      return reply(201, { data }, { position, visibleIn: "control", tokens: { issued } });
    },
  });
}

const noOptionalSettings = {
  companyName: null,
  iosStoreId: null,
  androidPackage: null,
  iosStoreUrl: null,
  androidStoreUrl: null,
  desktopUrl: null,
} as const;

/** Returns the position of the last token; that of kind `api` has the role owner. */
async function issueTokens(log: EventLog, appId: number, tokens: FirstTokens, cause: Cause): Promise<LogPosition> {
  const issue = (kind: TokenKind) => {
    const role = kind === "api" ? "owner" : null;
    return issueToken(log, tokens[kind], appId, { kind, role, channels: [], label: null }, cause);
  };
  await issue("api");
  await issue("link");
  await issue("sdk");
  return issue("web");
}

function mapTokens({ api, link, sdk, web }: FirstTokens, part: (token: GeneratedToken) => string) {
  return { api: part(api), link: part(link), sdk: part(sdk), web: part(web) };
}
