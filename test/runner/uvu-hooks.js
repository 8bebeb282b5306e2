/** Gives test files our `suite.ts` where they import uvu. */
export function resolve(specifier, context, next) {
  const isOurs = context.parentURL?.includes("/test/runner/suite.ts") ?? false;
  return next(specifier === "uvu" && !isOurs ? new URL("./suite.ts", import.meta.url).href : specifier, context);
}
