/** Gives test files our `suite.ts` where they import uvu. */
export function resolve(specifier, context, next) {
  const isOurs = context.parentURL?.includes("/test/runner/suite.js") ?? false;
  return next(specifier === "uvu" && !isOurs ? new URL("./suite.js", import.meta.url).href : specifier, context);
}
