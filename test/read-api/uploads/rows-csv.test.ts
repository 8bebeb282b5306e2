import { parse } from "csv-parse/sync";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { uploadId } from "../../examples/uploads.ts";
import { errorsOf } from "../../support/short-faults.ts";
import {
  type HistoryApplication,
  on,
  startHistoryApplication,
  wholeMetric,
  wholeSpend,
} from "./history-application.ts";

const [first, second, third] = [uploadId(1), uploadId(2), uploadId(3)];

let application: HistoryApplication;
/** From which position on the rows of each are in force. */
let [p1, p2, p3] = [0n, 0n, 0n];
const csv = suite("uploaded rows in force, as CSV");
csv.before(async () => {
  application = await startHistoryApplication();
  [p1 = 0n, p2 = 0n, p3 = 0n] = application.positions.map((ofUpload) => ofUpload.at(-2));
});
csv.after(() => application.close());

const path = (requestId: string) => `/admin/v1/apps/shop/uploads/${requestId}/history?format=csv`;
const allPath = "/admin/v1/apps/shop/uploads/rows?kind=ad_spend";
const get = (at: string, token = application.owner) => application.call("GET", at, { token });
/** Upload and number of each row. */
const rowsOf = async (at: string): Promise<readonly string[]> => {
  const { text } = await get(at);
  const records: readonly { request_id: string; row: string }[] = parse(text, { columns: true });
  const numberOf = new Map([first, second, third].map((id, index) => [id, index + 1]));
  return records.map(({ request_id, row }) => `${numberOf.get(request_id)}:${row}`);
};

csv("are those of one upload, in the columns of its file", async () => {
  const { status, text, headers } = await get(path(second));
  assert.equal(
    [status, headers["content-type"], headers["x-as-of-position"], headers["content-disposition"]],
    [
      200,
      "text/csv; charset=utf-8; header=present",
      String((await application.log.headPosition())?.commit),
      `attachment; filename="upload-${second}-as-of-${headers["x-as-of-position"]}.csv"`,
    ],
  );
  assert.is(
    text,
    "request_id,row,date,channel,currency,campaign,impressions,clicks,cost,campaign_id,ad_group,ad_group_id," +
      "ad_creative,ad_creative_id,term,term_id,ad_account_id,sub_publisher,sub_sub_publisher_1,sub_sub_publisher_2," +
      "sub_sub_publisher_3,country,os_name\r\n" +
      `${second},3,2026-03-03,partner,USD,winter,100,10,1.50,,,,,,,,,,,,,,\r\n`,
  );
});

csv("are a header only when none is in force", async () => {
  const { text } = await get(`${path(first)}&asOf=${p1 - 1n}`);
  assert.match(text, /^request_id,row,date,[^\r]*\r\n$/);
});

csv("can be those of any position: from where an upload was ingested to where it was replaced", async () => {
  const at = async (requestId: string) => {
    const found = [];
    for (const position of [p1 - 1n, p1, p2 - 1n, p2, p3 - 1n, p3]) {
      found.push((await rowsOf(`${path(requestId)}&asOf=${position}`)).join(" "));
    }
    return [...found, (await rowsOf(path(requestId))).join(" ")];
  };
  assert.equal(await at(first), ["", "1:2 1:3 1:4", "1:2 1:3 1:4", "1:3 1:4", "1:3 1:4", "1:4", "1:4"]);
  assert.equal(await at(second), ["", "", "", "2:2 2:3", "2:2 2:3", "2:3", "2:3"]);
  assert.equal(await at(third), ["", "", "", "", "", "3:2 3:3", "3:2 3:3"]);
});

csv("are those of the whole app, legacy cost among ad spend, between dates", async () => {
  assert.equal(await rowsOf(`${allPath}&asOf=${p1}`), ["1:2", "1:3", "1:4"]);
  assert.equal(await rowsOf(`${allPath}&asOf=${p2}`), ["1:3", "1:4", "2:2", "2:3"]);
  assert.equal(await rowsOf(allPath), ["1:4", "2:3", "3:2", "3:3"]);
  assert.equal(await rowsOf(`${allPath}&from=2026-03-02`), ["1:4", "2:3"]);
  assert.equal(await rowsOf(`${allPath}&to=2026-03-02`), ["1:4", "3:2", "3:3"]);
  assert.equal(await rowsOf(`${allPath}&from=2026-03-02&to=2026-03-02`), ["1:4"]);
  assert.equal(await rowsOf(allPath.replace("ad_spend", "metric")), []);
  assert.match((await get(allPath)).text, /,os_name,ad_account\r\n/);
  assert.equal((await get(allPath.replace("shop", "cafe"), application.otherOwner)).text.split("\r\n").length, 2);
});

csv("of an instant are those of the last position that was recorded by then", async () => {
  const events = [];
  for await (const event of application.log.readAll("start", 1_000)) events.push(event);
  for (const { recordedAt } of events) {
    const expected = events.findLast((event) => event.recordedAt <= recordedAt)?.position.commit;
    const { headers } = await get(`${allPath}&asOf=${recordedAt.toISOString()}`);
    assert.is(headers["x-as-of-position"], String(expected));
  }
  assert.equal(await rowsOf(`${allPath}&asOf=2020-01-01T09:00:00%2B09:00`), []);
});

csv("of a future or an invalid position, kind or date are refused", async () => {
  const head = (await application.log.headPosition())?.commit ?? 0n;
  assert.is((await get(`${path(first)}&asOf=${head}`)).status, 200);
  const positions = [head + 1n, "9".repeat(19), "9".repeat(20), "-1", "", "1.5", "now"];
  const instants = ["2999-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-03-01T00:00:00", "2026-03-01"];
  const all = "/admin/v1/apps/shop/uploads/rows?";
  for (const [at, field] of [
    ...[...positions, ...instants].map((asOf) => [`${path(first)}&asOf=${asOf}`, "asOf"] as const),
    [all, "kind"],
    [`${all}kind=legacy_cost`, "kind"],
    [`${all}kind=metric&from=2026-02-30`, "from"],
    [`${all}kind=metric&to=0000-01-01`, "to"],
    [`${all}kind=metric&from=2026-03-02&to=2026-03-01`, "from"],
  ] as const) {
    const response = await get(at);
    assert.equal(
      [response.status, errorsOf(response).map((parts) => parts.slice(0, 2))],
      [400, [["query", field]]],
      at,
    );
  }
});

csv("contain no formula, and every number to its last digit", async () => {
  const requestId = uploadId(4);
  const isFirstEventPerUserId = false;
  const rows = [
    { eventValue: "-1.5", campaignParams: { campaign: "=1+1", adGroup: '"a","b"' }, isFirstEventPerUserId },
    { eventValue: "123456789012345678901234567890.000000000001", currency: "KRW", osName: "@os" },
    { eventValue: "0", campaignParams: { campaign: "-2+3" }, isFirstEventPerDeviceId: true },
  ];
  await application.upload(requestId, ...wholeMetric(4, rows));
  assert.is(
    (await get(path(requestId))).text,
    "request_id,row,date,channel,event_category,event_value,campaign,ad_group,ad_creative,content,term,sub_publisher," +
      "sub_sub_publisher_1,sub_sub_publisher_2,sub_sub_publisher_3,event_source,os_name,country,currency," +
      "is_first_event_per_device_id,is_first_event_per_user_id\r\n" +
      `${requestId},2,2026-03-01,partner,visits,-1.5,'=1+1,"""a"",""b""",,,,,,,,,,,,,false\r\n` +
      `${requestId},3,2026-03-01,partner,visits,123456789012345678901234567890.000000000001,,,,,,,,,,,'@os,,KRW,,\r\n` +
      `${requestId},4,2026-03-01,partner,visits,0,'-2+3,,,,,,,,,,,,,true,\r\n`,
  );
});

csv("are complete and in order over pages of 1,000", async () => {
  for (const [index, count] of [999, 1_000, 1_001, 2_001].entries()) {
    const requestId = uploadId(5 + index);
    const rows = Array.from({ length: count }, (_, row) => on(5 + index, `c${row}`));
    await application.upload(requestId, ...wholeSpend(5 + index, rows, { rowsOfChunk: 700 }));
    const records: readonly Record<string, string>[] = parse((await get(path(requestId))).text, { columns: true });
    assert.equal(
      records.map(({ row, campaign }) => [row, campaign]),
      rows.map((_, row) => [String(row + 2), `c${row}`]),
    );
  }
});

csv.run();
