import { type Fault, fault } from "../fault.ts";
import { destinationFaults, readDestination, readWebAddress } from "./destination.ts";
import type { FallbackOption, FallbackPaths, Routing } from "./events.ts";
import { appStore, type Platform, platforms, storeKeywords } from "./stores.ts";

type Nullable<Value> = { readonly [Key in keyof Value]?: Value[Key] | null };

/** The request to change a link's routing (contract/tracking-links.md#changing). */
export interface RoutingRequest {
  readonly deeplinkUrl?: string | null;
  readonly fallbackPaths?:
    | (Nullable<Omit<FallbackPaths, "option">> & { readonly option?: Nullable<FallbackOption> | null })
    | null;
  /** Takes precedence over the `option` of `fallbackPaths` (contract/tracking-links.md#changing). */
  readonly option?: Nullable<FallbackOption> | null;
}

/** The routing of a link that names no destinations. */
export const noRouting: Routing = {
  deeplinkUrl: null,
  fallbackPaths: {
    ios: null,
    android: null,
    desktop: null,
    option: { iosCustomProductPageId: null, androidCustomStoreListing: null },
  },
};

/** `stores`: keywords of the stores that the link's app is in (`storesOf`). */
type Policy = (request: RoutingRequest, stores: readonly string[]) => readonly Fault[];

const deeplinkCanBeOpened: Policy = ({ deeplinkUrl }) =>
  deeplinkUrl == null ? [] : destinationFaults(["deeplinkUrl"], readDestination(deeplinkUrl));

const fallbacksCanBeOpened: Policy = ({ fallbackPaths }, stores) =>
  platforms.flatMap((platform) => pathFaults(platform, fallbackPaths?.[platform], stores));

const routingPolicies: readonly Policy[] = [deeplinkCanBeOpened, fallbacksCanBeOpened];

/** One fault for each invalid destination of a routing (contract/tracking-links.md#destinations). */
export function routingFaults(request: RoutingRequest, stores: readonly string[]): readonly Fault[] {
  return routingPolicies.flatMap((policy) => policy(request, stores));
}

/** A routing after a change: absent keys keep their value, null clears it (contract/tracking-links.md#changing). */
export function changedRouting(routing: Routing, request: RoutingRequest): Routing {
  const { deeplinkUrl, fallbackPaths, option } = request;
  const { option: optionOfPaths, ...paths } = fallbackPaths ?? {};
  const earlier = fallbackPaths === null ? noRouting.fallbackPaths : routing.fallbackPaths;
  return {
    deeplinkUrl: deeplinkUrl === undefined ? routing.deeplinkUrl : deeplinkUrl,
    fallbackPaths: {
      ...earlier,
      ...paths,
      option: changedOption(changedOption(earlier.option, optionOfPaths), option),
    },
  };
}

function changedOption(earlier: FallbackOption, change: Nullable<FallbackOption> | null | undefined): FallbackOption {
  return change === null ? noRouting.fallbackPaths.option : { ...earlier, ...change };
}

function pathFaults(platform: Platform, path: string | null | undefined, stores: readonly string[]): readonly Fault[] {
  if (path == null) return [];
  if (storeKeywords[platform].includes(path)) {
    const code = path === appStore ? "store_missing.ios" : "store_missing.android";
    return stores.includes(path) ? [] : [fault(code, ["fallbackPaths", platform])];
  }
  const read = readWebAddress(path);
  if (read === "not_absolute") {
    const known = storeKeywords[platform].join(", ");
    return [fault("destination_not_absolute.or_store", ["fallbackPaths", platform], { known })];
  }
  return destinationFaults(["fallbackPaths", platform], read);
}
