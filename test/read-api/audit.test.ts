import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../domain/event-catalogue.ts";
import { auditProjection } from "../../projections/audit/projection.ts";
import { auditAt, listAudit } from "../../projections/audit/queries.ts";
import { auditRoutes } from "../../read-api/audit/routes.ts";
import { shopRegistered } from "../examples/app.ts";
import { recordedLog } from "../examples/recorded-log.ts";
import { aReportRequest, taskId } from "../examples/tasks.ts";
import { anUpload, uploadId } from "../examples/uploads.ts";
import { openProjection } from "../projections/one-projection.ts";
import { serveRoutes } from "../support/served-routes.ts";

const model = await openProjection(auditProjection);
const eventsOfReads: number[] = [];
const application = await serveRoutes(
  auditRoutes({
    listAudit: (query) => listAudit(model, query),
    auditAt: (positions) => {
      eventsOfReads.push(positions.length);
      return auditAt(model, positions);
    },
    tokensOf: async () => [],
  }),
);
const audit = suite("GET .../audit");
audit.after(async () => {
  await application.close();
  await model.close();
});

const get = (query: string) =>
  application
    .call("GET", `/admin/v1/apps/shop/audit${query}`, { token: "owner" })
    .then(({ status, json }) => [status, json]);

audit("returns pages, oldest first, that continue after a position", async () => {
  const { received, validated } = anUpload(1);
  await model.rebuild(recordedLog([shopRegistered, received, validated]));
  const place = { time: "2026-03-31T00:00:00.000Z", actor: { kind: "operator" }, requestId: "example-request" };
  const subject = { kind: "upload", id: uploadId(1) };
  const first = { position: "200", type: "UploadReceived", subject, ...place, data: received.data };
  const second = { position: "300", type: "UploadValidated", subject, ...place, data: validated.data };
  const query = `?subject=${uploadId(1)}&size=1`;
  assert.equal(await get(query), [200, { data: [first], pagination: { hasNext: true, after: "200" } }]);
  assert.equal(await get(`${query}&after=200`), [
    200,
    { data: [second], pagination: { hasNext: false, after: "300" } },
  ]);
  assert.equal(await get(`${query}&after=300`), [200, { data: [], pagination: { hasNext: false, after: "300" } }]);
});

audit("does not name the event that a report is as of, which may be another app's", async () => {
  const request = aReportRequest(1);
  const asOf = { stream: "token-another", revision: 0 };
  const requested = { ...request, data: { ...request.data, query: { ...request.data.query, asOf } } } as StoredEvent;
  await model.rebuild(recordedLog<StoredEvent>([shopRegistered, requested]));
  const [, body] = await get(`?subject=${taskId(1)}`);
  const { data } = body as { readonly data: readonly { readonly data: object }[] };
  assert.equal(
    data.map((entry) => entry.data),
    [request.data],
  );
});

audit("reads large events one by one, and others together", async () => {
  const large = { displayName: "x".repeat(200_000) };
  const channel = { name: "billboards", type: "custom", selfAttributing: false, costIntegrated: false };
  const registered = [{ displayName: "Billboards" }, large, large].map((more) => {
    return { type: "ChannelRegistered", data: { ...channel, ...more } } as StoredEvent;
  });
  await model.rebuild(recordedLog([shopRegistered, ...registered]));
  eventsOfReads.length = 0;
  const [, body] = await get("?type=ChannelRegistered");
  const { data } = body as { readonly data: readonly { readonly data: object }[] };
  assert.equal(
    data.map((entry) => entry.data),
    registered.map((event) => event.data),
  );
  assert.equal(eventsOfReads, [2, 1]);
});

audit("has nothing after the last position that there can be", async () => {
  const after = "9223372036854775807";
  assert.equal(await get(`?after=${after}`), [200, { data: [], pagination: { hasNext: false, after } }]);
});

audit("refuses a type that no audited event has, with the nearest one", async () => {
  const [status, body] = await get("?type=RoutingChange");
  const { errors } = body as { readonly errors: readonly { readonly loc: unknown; readonly msg: string }[] };
  assert.equal([status, errors.map(({ loc }) => loc)], [400, [["query", "type"]]]);
  assert.match(errors[0]?.msg ?? "", /RoutingChanged\?\)?$/);
});

for (const query of [
  "type=AppEventRecorded",
  "size=0",
  "size=501",
  "after=x",
  "after=9223372036854775808",
  `after=${"1".repeat(20)}`,
  "type=",
  `subject=${"a".repeat(257)}`,
]) {
  audit(`refuses ?${query.slice(0, 30)}`, async () => {
    assert.is((await get(`?${query}`))[0], 400);
  });
}

audit.run();
