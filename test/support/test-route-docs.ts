/** The documentation of a route of a test, which is in no document. */
export const testRouteDocs = {
  summary: "A route of a test",
  description: "No application serves it.",
  contract: "contract/http.md#statuses",
  request: {},
  responses: { 200: { example: {} } },
};
