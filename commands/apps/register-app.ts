import { randomBytes } from "node:crypto";
import { type AppRegistryRejection, appRegistry } from "../../domain/apps/app-registry.ts";
import type { AppSettings } from "../../domain/apps/events.ts";
import type { LogPosition } from "../../domain/event.ts";
import { appRegistryStream } from "../../domain/streams.ts";
import type { Role, TokenKind } from "../../domain/tokens/events.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type HandledOrRejected, handleCommand } from "../handle-command.ts";
import type { Cause } from "../metadata.ts";

/** A token that is drawn but not yet issued: its text, shown once, and its id. */
interface Drawn {
  readonly text: string;
  readonly tokenId: string;
}

export interface RegisterAppDeps<Token extends Drawn> {
  readonly log: EventLog;
  drawToken(kind: TokenKind): Token;
  /** Answers the position of the token's first event. */
  issueToken(token: Token, appId: number, kind: TokenKind, role: Role | null, cause: Cause): Promise<LogPosition>;
  /** Makes the new app known to this process. */
  appRegistered(): Promise<void>;
}

export interface Registration {
  readonly appId: number;
  /** Texts of the app's first tokens. */
  readonly tokens: Readonly<Record<TokenKind, string>>;
  readonly position: LogPosition;
}

const saltBytes = 32;

/**
 * Registers an app and issues its first four tokens (contract/administration.md#apps), `api` with role owner. The name
 * is claimed first: what fails after that leaves an app whose tokens the operator issues anew.
 */
export async function registerApp<Token extends Drawn>(
  deps: RegisterAppDeps<Token>,
  settings: AppSettings,
  cause: Cause,
): Promise<Registration | Extract<HandledOrRejected<unknown, AppRegistryRejection>, { outcome: "rejected" }>> {
  const drawn = {
    api: deps.drawToken("api"),
    link: deps.drawToken("link"),
    sdk: deps.drawToken("sdk"),
    web: deps.drawToken("web"),
  };
  const { api, link, sdk, web } = drawn;
  const command = {
    settings,
    salt: randomBytes(saltBytes).toString("hex"),
    tokenIds: { api: api.tokenId, link: link.tokenId, sdk: sdk.tokenId, web: web.tokenId },
  };
  const registered = await handleCommand(deps.log, appRegistry, appRegistryStream, cause.requestId, command, cause);
  if (registered.outcome === "rejected") return registered;
  await deps.appRegistered();

  const appId = registered.state.idOf.get(settings.name) ?? registered.state.count;
  await deps.issueToken(api, appId, "api", "owner", cause);
  await deps.issueToken(link, appId, "link", null, cause);
  await deps.issueToken(sdk, appId, "sdk", null, cause);
  const position = await deps.issueToken(web, appId, "web", null, cause);
  return { appId, tokens: { api: api.text, link: link.text, sdk: sdk.text, web: web.text }, position };
}
