import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadStream } from "../../../domain/streams.ts";
import { reasonOf } from "../../../infra/http/i18n/messages.ts";
import { anUpload, badDate, uploadId } from "../../examples/uploads.ts";
import { adminToken } from "../../support/administration.ts";
import { errorsOf, problemOf } from "../../support/short-faults.ts";
import {
  type HistoryApplication,
  on,
  startHistoryApplication,
  wholeMetric,
  wholeSpend,
} from "./history-application.ts";

/** The overwrite key of a row of a day in March. */
const key = (day: number, campaign: string) => ({ date: `2026-03-0${day}`, channel: "partner", campaign });
const [first, second, third] = [uploadId(1), uploadId(2), uploadId(3)];
const noReplacement = { uploads: [], rows: [] };
const none = { hasNext: false, totalCount: 0 };

let application: HistoryApplication;
/** From which position on the rows of the second and the third are in force. */
let [p2, p3] = ["", ""];

const history = suite("GET /admin/v1/apps/{app_name}/uploads/{requestId}/history");
history.before(async () => {
  application = await startHistoryApplication();
  [, p2 = "", p3 = ""] = application.positions.map((ofUpload) => String(ofUpload.at(-2)));
});
history.after(() => application.close());

const path = (requestId: string, query = "") => `/admin/v1/apps/shop/uploads/${requestId}/history${query}`;
const get = async (requestId: string, query = "", token = application.owner) =>
  (await application.call("GET", path(requestId, query), { token })).json as {
    data: { upload: object; events: readonly object[]; replaced: object; replacedBy: object };
    pagination: { replaced: object; replacedBy: object };
  };

history("has the file, the record and how many of its rows are in force", async () => {
  const { data } = await get(first);
  assert.equal(data.upload, {
    requestId: first,
    status: "succeeded",
    prevStatus: "ingested",
    reason: null,
    createdAt: "2026-04-01T09:00:00",
    updatedAt: "2026-04-01T09:00:03",
    kind: "ad_spend",
    fileName: "spend-1.csv",
    bytes: 1_001,
    sha256: "ab".repeat(32),
    rows: 3,
    rowsInForce: 1,
  });
});

history("has every event with its position, time and actor, and the number of staged rows", async () => {
  const { received, succeeded } = anUpload(1);
  const marketer = { kind: "token", tokenId: application.uploaderId, role: "in_house_marketer", label: "finance" };
  const pipeline = { kind: "reactor", name: "uploads" };
  const { data } = await get(first, "", adminToken);
  const recorded: string[] = [];
  for await (const { recordedAt } of application.log.read(uploadStream(first))) recorded.push(recordedAt.toISOString());
  const staged = { requestId: first, appId: 1 };
  assert.equal(
    data.events,
    [
      { actor: marketer, type: "UploadReceived", data: received.data },
      {
        actor: pipeline,
        type: "UploadValidated",
        data: { requestId: first, rows: 3, validatedAt: "2026-04-01T00:00:01.000Z" },
      },
      { actor: pipeline, type: "SpendRowsStaged", data: { ...staged, rows: 2 } },
      { actor: pipeline, type: "SpendRowsStaged", data: { ...staged, rows: 1 } },
      {
        actor: pipeline,
        type: "UploadIngested",
        data: { ...staged, kind: "ad_spend", rows: 3, ingestedAt: "2026-04-01T00:00:02.000Z" },
      },
      { actor: pipeline, type: "UploadSucceeded", data: succeeded.data },
    ].map(({ actor, ...event }, index) => ({
      position: String(application.positions[0]?.[index]),
      time: `2026-04-01T00:00:0${index + 1}.000Z`,
      recordedAt: recorded[index],
      actor,
      requestId: "example-run",
      ...event,
    })),
  );
});

history("has the instants as of which its rows are in force", async () => {
  const { data } = await get(first);
  const events = data.events as readonly { readonly type: string; readonly recordedAt: string }[];
  const instant = Date.parse(events.find(({ type }) => type === "UploadIngested")?.recordedAt ?? "");
  const asOf = async (time: number) => {
    const { text } = await application.call("GET", path(first, `?format=csv&asOf=${new Date(time).toISOString()}`), {
      token: application.owner,
    });
    return text.includes(first);
  };
  assert.equal([await asOf(instant - 1), await asOf(instant)], [false, true]);
});

history("has the rows that it replaced, and its rows that were replaced", async () => {
  const replacements = async (requestId: string) => {
    const { data, pagination } = await get(requestId);
    return { replaced: data.replaced, replacedBy: data.replacedBy, pagination };
  };
  assert.equal(await replacements(first), {
    replaced: noReplacement,
    replacedBy: {
      uploads: [
        { requestId: second, rows: 1 },
        { requestId: third, rows: 1 },
      ],
      rows: [
        { row: 2, key: key(1, "spring"), replacedBy: second, replacedAt: p2 },
        { row: 3, key: key(1, "summer"), replacedBy: third, replacedAt: p3 },
      ],
    },
    pagination: { replaced: none, replacedBy: { hasNext: false, totalCount: 2 } },
  });
  assert.equal(await replacements(second), {
    replaced: {
      uploads: [{ requestId: first, rows: 1 }],
      rows: [{ requestId: first, row: 2, key: key(1, "spring"), replacedAt: p2 }],
    },
    replacedBy: {
      uploads: [{ requestId: third, rows: 1 }],
      rows: [{ row: 2, key: key(1, "spring"), replacedBy: third, replacedAt: p3 }],
    },
    pagination: { replaced: { hasNext: false, totalCount: 1 }, replacedBy: { hasNext: false, totalCount: 1 } },
  });
  assert.equal(await replacements(third), {
    replaced: {
      uploads: [
        { requestId: first, rows: 1 },
        { requestId: second, rows: 1 },
      ],
      rows: [
        { requestId: first, row: 3, key: key(1, "summer"), replacedAt: p3 },
        { requestId: second, row: 2, key: key(1, "spring"), replacedAt: p3 },
      ],
    },
    replacedBy: noReplacement,
    pagination: { replaced: { hasNext: false, totalCount: 2 }, replacedBy: none },
  });
});

history("has the category in the key of a metric; rows of spend and metrics never replace each other", async () => {
  await application.upload(uploadId(4), ...wholeMetric(4, [{ eventCategory: "visits" }, { eventCategory: "calls" }]));
  await application.upload(uploadId(5), ...wholeMetric(5, [{ eventCategory: "calls" }]));
  const { data } = await get(uploadId(5));
  const { replaced } = data as { replaced: { rows: readonly { key: object }[]; uploads: object } };
  assert.equal(replaced.uploads, [{ requestId: uploadId(4), rows: 1 }]);
  assert.equal(
    replaced.rows.map((row) => row.key),
    [{ date: "2026-03-01", channel: "partner", event_category: "calls" }],
  );
});

history("of an upload that failed has its reason, its events and no rows", async () => {
  const { received, rejected } = anUpload(6);
  await application.upload(uploadId(6), received, rejected);
  const { data, pagination } = await get(uploadId(6));
  const { reason, rows, rowsInForce } = data.upload as { reason: string; rows: null; rowsInForce: number };
  assert.equal([JSON.parse(reason), rows, rowsInForce], [reasonOf(badDate, "en"), null, 0]);
  assert.equal(
    data.events.map((event) => (event as { data: object }).data),
    [
      received.data,
      { requestId: uploadId(6), reason: reasonOf(badDate, "en"), rejectedAt: "2026-04-01T00:00:04.000Z" },
    ],
  );
  assert.equal(
    [data.replaced, data.replacedBy, pagination],
    [noReplacement, noReplacement, { replaced: none, replacedBy: none }],
  );
});

history("has other uploads in the order in which they were ingested, whatever their ids", async () => {
  const both = [on(5, "spring"), on(5, "summer")];
  await application.upload(uploadId(12), ...wholeSpend(12, both));
  await application.upload(uploadId(11), ...wholeSpend(11, both.slice(0, 1)));
  await application.upload(uploadId(10), ...wholeSpend(10, both.slice(1)));
  await application.upload(uploadId(9), ...wholeSpend(9, both));
  const inOrder = [11, 10].map((number) => ({ requestId: uploadId(number), rows: 1 }));
  const uploadsOf = (replacement: object) => (replacement as { uploads: object }).uploads;
  assert.equal(uploadsOf((await get(uploadId(12))).data.replacedBy), inOrder);
  assert.equal(uploadsOf((await get(uploadId(9))).data.replaced), inOrder);
});

history("has no row in force of an upload whose rows are staged", async () => {
  const events = wholeSpend(13, [on(6, "spring")]);
  await application.upload(
    uploadId(13),
    ...events.slice(
      0,
      events.findIndex(({ type }) => type === "UploadIngested"),
    ),
  );
  const { upload } = (await get(uploadId(13))).data as { upload: { status: string; rowsInForce: number } };
  assert.equal([upload.status, upload.rowsInForce], ["validated", 0]);
});

history("pages its rows, at most 500 at a time", async () => {
  const rows = Array.from({ length: 501 }, (_, index) => on(4, `c${index}`));
  await application.upload(uploadId(7), ...wholeSpend(7, rows));
  await application.upload(uploadId(8), ...wholeSpend(8, rows));
  const page = async (query: string) => {
    const { data, pagination } = await get(uploadId(8), query);
    const shown = (data.replaced as { rows: readonly { row: number }[] }).rows.map(({ row }) => row);
    return [shown[0], shown.length, pagination.replaced];
  };
  const more = (hasNext: boolean) => ({ hasNext, totalCount: 501 });
  assert.equal(await page(""), [2, 50, more(true)]);
  assert.equal(await page("?size=1&skip=499"), [501, 1, more(true)]);
  assert.equal(await page("?size=500"), [2, 500, more(true)]);
  assert.equal(await page("?size=500&skip=1"), [3, 500, more(false)]);
  assert.equal(await page("?size=1&skip=500"), [502, 1, more(false)]);
  assert.equal(await page("?skip=501"), [undefined, 0, more(false)]);
});

history("refuses pages of more than 500 rows, and asOf without CSV", async () => {
  for (const [query, field] of [
    ["?size=501", "size"],
    ["?asOf=1", "asOf"],
  ] as const) {
    const response = await application.call("GET", path(first, query), { token: application.owner });
    assert.equal([response.status, errorsOf(response).map(([, name]) => name)], [400, [field]]);
  }
});

history("is not found under another app, nor by an unknown or invalid id", async () => {
  const codeOf = async (token: string, at: string) => problemOf(await application.call("GET", at, { token })).code;
  assert.is(await codeOf(application.otherOwner, path(first).replace("shop", "cafe")), "UPLOAD_NOT_FOUND");
  for (const id of [uploadId(99), "rows"]) assert.is(await codeOf(application.owner, path(id)), "UPLOAD_NOT_FOUND");
});

history.run();
