import type { RequestHandler } from "express";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { fixedText } from "../../infra/http/response/fixed-text.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { requestIdOf } from "../../infra/http/response/request-id.ts";
import { writeProblem } from "../../infra/http/response/write-response.ts";

/** The settings that determine which native apps may open an app's links. */
type AssociatedApp = Pick<RegisteredApp, "name" | "iosAppIds" | "androidPackage" | "androidCertificates">;

export interface AppAssociationDeps {
  /** Every app; the same array until one is registered or changed. */
  allApps(): Promise<readonly AssociatedApp[]>;
  readonly linkBaseUrl: string;
}

const mediaType = "application/json; charset=utf-8";
/** Apple and Google read them through caches of their own. */
const cacheControl = "public, max-age=300";

/**
 * `/.well-known/apple-app-site-association` and `/.well-known/assetlinks.json`, by which systems open links in apps
 * (contract/tracking-links.md#opening-in-apps). Passes on requests for other paths.
 */
export function appAssociations({ allApps, linkBaseUrl }: AppAssociationDeps): RequestHandler {
  const { pathname } = new URL(linkBaseUrl);
  const path = pathname.replace(/\/$/, "");
  const documents = new Map<string, (apps: readonly AssociatedApp[]) => RequestHandler>([
    ["/.well-known/apple-app-site-association", documentHandler((apps) => appleAssociation(apps, path))],
    ["/.well-known/assetlinks.json", documentHandler(androidAssetLinks)],
  ]);
  return async (request, response, next) => {
    if (!request.url.startsWith("/.well-known/")) return next();
    const document = documents.get(request.url.split("?", 1)[0] ?? "");
    if (document === undefined) return next();
    requestIdOf(response);
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (request.method !== "GET" && request.method !== "HEAD") {
      return writeProblem(request, response, problems.methodNotAllowed, { Allow: "GET, HEAD" });
    }
    return document(await allApps())(request, response, next);
  };
}

/** The handler of a document, which is written once for each state of the apps. */
function documentHandler(contentOf: (apps: readonly AssociatedApp[]) => unknown) {
  let last: { readonly apps: readonly AssociatedApp[]; readonly handler: RequestHandler } | null = null;
  return (apps: readonly AssociatedApp[]): RequestHandler => {
    if (last?.apps !== apps) {
      last = { apps, handler: fixedText(() => JSON.stringify(contentOf(apps)), mediaType, cacheControl) };
    }
    return last.handler;
  };
}

/**
 * Long links contain the name of their app. Short ones do not, so they are opened in an app only if a single one is
 * registered for iOS. The first matching component decides.
 */
function appleAssociation(apps: readonly AssociatedApp[], path: string): unknown {
  const onIos = apps.filter(({ iosAppIds = [] }) => iosAppIds.length > 0);
  const shortLinks =
    onIos.length > 1
      ? []
      : [{ "/": `${path}/@*`, exclude: true }, { "/": `${path}/s2s/*`, exclude: true }, { "/": `${path}/*` }];
  const details = onIos.map(({ name, iosAppIds = [] }) => ({
    appIDs: iosAppIds,
    components: [{ "/": `${path}/@${name}/*` }, ...shortLinks],
  }));
  return { applinks: { details } };
}

/** On Android the app's manifest lists the paths that it opens. */
function androidAssetLinks(apps: readonly AssociatedApp[]): unknown {
  return apps
    .filter(({ androidPackage, androidCertificates = [] }) => androidPackage !== null && androidCertificates.length > 0)
    .map(({ androidPackage, androidCertificates }) => ({
      relation: ["delegate_permission/common.handle_all_urls"],
      target: {
        namespace: "android_app",
        package_name: androidPackage,
        sha256_cert_fingerprints: androidCertificates,
      },
    }));
}
