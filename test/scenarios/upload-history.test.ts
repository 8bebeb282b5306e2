// time limit: 120 s
import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadFile } from "../../infra/api-client/uploads.ts";
import { type RunningApplication, runApplication, temporaryDirectory } from "../support/application-process.ts";

const header = "date,channel,currency,campaign,impressions,clicks,cost\n";
const spring = `${header}2026-03-01,partner,USD,spring,100,10,1.50\n`;
const both = `${spring}2026-03-01,partner,USD,summer,200,20,2.50\n`;

interface History {
  readonly data: {
    readonly upload: { readonly status: string; readonly rows: number | null; readonly rowsInForce: number };
    readonly events: readonly {
      readonly position: string;
      readonly type: string;
      readonly actor: {
        readonly kind: string;
        readonly tokenId?: string;
        readonly role?: string;
        readonly name?: string;
      };
    }[];
    readonly replaced: { readonly uploads: readonly object[] };
    readonly replacedBy: { readonly uploads: readonly object[]; readonly rows: readonly object[] };
  };
}

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let application: RunningApplication;
let token: string;
const test = suite("What compliance teams see of uploads");
test.before(async () => {
  directory = await temporaryDirectory();
  application = await runApplication(directory.path);
  const app = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example" };
  const { data } = (await application.operator.send("POST", "/admin/v1/apps", app)) as {
    data: { tokens: { api: string } };
  };
  token = data.tokens.api;
});
test.after(async () => {
  await application.stop();
  await directory.remove();
});

const send = (content: string | Uint8Array<ArrayBuffer>, name = "spend.csv") =>
  uploadFile(application.client(token), "ad_spend", { name, content });
const path = (requestId: string) => `/admin/v1/apps/shop/uploads/${requestId}`;
const historyOf = async (requestId: string) =>
  (await application.operator.send("GET", `${path(requestId)}/history`)) as History;

async function download(at: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${application.run.baseUrl}${at}`, { headers, signal: AbortSignal.timeout(20_000) });
  assert.is(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** Campaigns of a CSV, whose column they are. */
const campaigns = (csv: Buffer): readonly (string | undefined)[] =>
  csv
    .toString()
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.split(",")[5]);

test("every file is given back as it was sent, whatever became of it", async () => {
  const zipped = new Uint8Array(gzipSync(spring));
  const [good, packed, bad] = [await send(spring), await send(zipped, "spend.csv.gz"), await send("\u0000,\uFFFD\n")];
  assert.equal([good.status, packed.status, bad.status], ["succeeded", "succeeded", "failed"]);
  assert.is((await download(`${path(good.requestId)}/file`)).toString(), spring);
  assert.ok((await download(`${path(packed.requestId)}/file`)).equals(zipped));
  assert.is((await download(`${path(bad.requestId)}/file`)).toString(), "\u0000,\uFFFD\n");
  const { data } = await historyOf(bad.requestId);
  assert.equal([data.upload.status, data.upload.rows, data.upload.rowsInForce], ["failed", null, 0]);
  assert.equal(
    data.events.map(({ type }) => type),
    ["UploadReceived", "UploadRejected"],
  );
});

test("an upload's history says who did what, what it replaced, and what was in force when", async () => {
  const older = await send(both);
  const newer = await send(spring);
  const { data } = await historyOf(older.requestId);
  assert.equal(
    data.events.map(({ type, actor: { kind, role, name } }) => [type, kind, role ?? name]),
    [
      ["UploadReceived", "token", "owner"],
      ["UploadValidated", "reactor", "uploads"],
      ["SpendRowsStaged", "reactor", "uploads"],
      ["UploadIngested", "reactor", "uploads"],
      ["UploadSucceeded", "reactor", "uploads"],
    ],
  );
  assert.equal([data.upload.rows, data.upload.rowsInForce], [2, 1]);
  const replacing = await historyOf(newer.requestId);
  const replacedAt = replacing.data.events.find(({ type }) => type === "UploadIngested")?.position;
  const key = { date: "2026-03-01", channel: "partner", campaign: "spring" };
  assert.equal(data.replacedBy, {
    uploads: [{ requestId: newer.requestId, rows: 1 }],
    rows: [{ row: 2, key, replacedBy: newer.requestId, replacedAt }],
  });
  assert.equal(replacing.data.replaced.uploads, [{ requestId: older.requestId, rows: 1 }]);

  const rows = async (at: string) => campaigns(await download(at));
  const before = `asOf=${BigInt(replacedAt ?? 0) - 1n}`;
  const csv = `${path(older.requestId)}/history?format=csv`;
  assert.equal([await rows(`${csv}&${before}`), await rows(csv)], [["spring", "summer"], ["summer"]]);
  const all = "/admin/v1/apps/shop/uploads/rows?kind=ad_spend";
  assert.equal((await rows(all)).toSorted(), ["spring", "summer"]);
  assert.equal((await rows(`${all}&asOf=${new Date(application.run.startedAt).toISOString()}`)).length, 0);
});

test.run();
