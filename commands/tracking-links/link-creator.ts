import type { FromSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ChannelType } from "../../domain/channels/events.ts";
import type { LogPosition } from "../../domain/event.ts";
import { linkUrls } from "../../domain/tracking-links/link-urls.ts";
import type { LiveLink } from "../../domain/tracking-links/tracking-link.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import type { Cause } from "../metadata.ts";
import { createLink } from "./create-link.ts";
import { linkProblem } from "./link-problem.ts";
import type { createLinkBody } from "./schemas.ts";

export interface LinkCreatorOptions {
  readonly log: EventLog;
  /**
   * A channel by its name; null when nobody has registered it, which makes it a custom one
   * (contract/administration.md#channels).
   */
  readonly channelProfile: (
    name: string,
  ) => { readonly type: ChannelType } | null | Promise<{ readonly type: ChannelType } | null>;
  readonly linkBaseUrl: string;
  /** Told of every link created here, before its creator is. */
  readonly onLinkCreated: (linkId: number) => void;
}

export type LinkCreation =
  | { readonly outcome: "created"; readonly trackingLink: unknown; readonly position: LogPosition | null }
  | { readonly outcome: "refused"; readonly problem: Problem };

/** Creates a link as a body asks for it, and answers what a creation answers (contract/tracking-links.md#creating). */
export type LinkCreator = (
  app: RegisteredApp,
  commandId: string,
  body: FromSchema<typeof createLinkBody>,
  cause: Cause,
) => Promise<LinkCreation>;

export function linkCreator({ log, channelProfile, linkBaseUrl, onLinkCreated }: LinkCreatorOptions): LinkCreator {
  return async (app, commandId, body, cause) => {
    const { customShortId = null, ...asked } = body;
    const profile = await channelProfile(asked.channel);
    const link = { appId: app.appId, channelType: profile?.type ?? "custom", request: asked, customShortId };
    const created = await createLink(log, commandId, link, cause);
    if (created.outcome === "rejected") return { outcome: "refused", problem: linkProblem(created.rejection, 422) };
    onLinkCreated(created.link.linkId);
    const { position } = created;
    return { outcome: "created", trackingLink: createdLink(created.link, app.name, linkBaseUrl), position };
  };
}

/** The answer to a creation. Both spellings of the short URL are answered (contract/tracking-links.md#addresses). */
function createdLink(link: LiveLink, appName: string, linkBaseUrl: string): unknown {
  const { click, impression, serverToServerClick, shortUrl } = linkUrls(linkBaseUrl, { ...link, appName });
  return {
    id: link.linkId,
    channelType: link.channelType,
    link: { click, impression, serverToServerClick },
    shortId: link.shortId,
    shortURL: shortUrl,
    shortUrl,
    trackingTemplateID: link.templateId,
  };
}
