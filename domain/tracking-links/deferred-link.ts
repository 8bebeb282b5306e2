import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { ClickRecorded } from "../touchpoints/events.ts";
import { dayMs } from "../values/instants.ts";
import { parsedUrl } from "../values/url.ts";
import { type Destination, parseDestination } from "./destination.ts";
import { isStorePage } from "./destination-owner.ts";
import type { DeferredLinkOpened } from "./events.ts";

/** Opens the destination of the click that won a fresh install (contract/tracking-links.md#deferred-deep-links). */
export interface OpenDeferredLink {
  readonly type: "OpenDeferredLink";
  readonly appId: number;
  readonly eventId: string;
  readonly category: string;
  /** When the event happened, ISO 8601. */
  readonly at: string;
  /** ISO 8601. */
  readonly now: string;
  /** The click that won; null: none did, or it is withheld. */
  readonly click: Pick<ClickRecorded["data"], "touchpointId" | "source" | "destination"> | null;
  /** Addresses that are not in the app: the plain page, and pages of stores that the app's settings name. */
  readonly pagesOutside: readonly string[];
}

export type DeferredLinkState =
  | { readonly stage: "unopened" }
  | { readonly stage: "opened"; readonly link: OpenedLink };

type OpenedLink = DeferredLinkOpened["data"];

/** Why no destination is returned. */
export type DeferredLinkRejection = "NOT_AN_INSTALL" | "INSTALL_TOO_OLD" | "NO_DESTINATION" | "ALREADY_OPENED";

const freshMs = dayMs;

function decide(
  { appId, eventId, category, at, now, click, pagesOutside }: OpenDeferredLink,
  state: DeferredLinkState,
): readonly DeferredLinkOpened[] | Rejection<DeferredLinkRejection> {
  if (state.stage === "opened") return { rejected: "ALREADY_OPENED" };
  if (category !== "app_install") return { rejected: "NOT_AN_INSTALL" };
  if (Date.parse(now) - Date.parse(at) > freshMs) return { rejected: "INSTALL_TOO_OLD" };
  const destination = click?.destination ?? null;
  if (click === null || destination === null || !leadsIntoApp(destination, pagesOutside)) {
    return { rejected: "NO_DESTINATION" };
  }
  const { touchpointId, source } = click;
  const data = { appId, eventId, touchpointId, trackingLinkId: source.trackingLinkId, destination };
  return [{ type: "DeferredLinkOpened", data }];
}

/** Whether a destination is in the app: neither the plain page nor a store page, from which the visitor has come. */
function leadsIntoApp(address: string, pagesOutside: readonly string[]): boolean {
  const destination = parseDestination(address);
  if (typeof destination === "string" || isStorePage(destination)) return false;
  return !pagesOutside.some((page) => isAtPage(destination, page));
}

/** Whether a destination is a page, apart from the query, to which the id of the click is added. */
function isAtPage(destination: Destination, page: string): boolean {
  const url = parsedUrl(page);
  if (destination.kind === "app" || url === null) return false;
  return destination.url.origin === url.origin && destination.url.pathname === url.pathname;
}

function evolve(_state: DeferredLinkState, event: DeferredLinkOpened): DeferredLinkState {
  switch (event.type) {
    case "DeferredLinkOpened":
      return { stage: "opened", link: event.data };
    default:
      return assertNever(event.type);
  }
}

/** The deferred deep link of one install: returned once. */
export const deferredLink: Decider<OpenDeferredLink, DeferredLinkOpened, DeferredLinkState, DeferredLinkRejection> = {
  initialState: { stage: "unopened" },
  decide,
  evolve,
};
