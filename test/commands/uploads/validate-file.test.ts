import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readUploadFile, UnreadableFile } from "../../../commands/uploads/read-upload-file.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { csv, kinds, oneRow, reasonOf, rightCells, validated } from "./csv-files.ts";

const names = (kind: UploadKind): readonly string[] => Object.keys(rightCells[kind]);
const values = (kind: UploadKind): readonly string[] => Object.values(rightCells[kind]);

/** A file of so many equal right rows. */
function rowsOf(kind: UploadKind, count: number): string {
  return csv([names(kind)]) + csv([values(kind)]).repeat(count);
}

/** A right file of exactly so many bytes: its last row's campaign is longer than those of the others. */
function fileOf(kind: UploadKind, bytes: number): string {
  const row = (campaign: number): string =>
    csv([Object.values({ ...rightCells[kind], campaign: "c".repeat(campaign) })]);
  const head = csv([Object.keys({ ...rightCells[kind], campaign: "" })]);
  const length = row(100).length;
  const others = Math.floor((bytes - head.length) / length) - 1;
  return head + row(100).repeat(others) + row(100 + bytes - head.length - (others + 1) * length);
}

const header = suite("a header");

for (const kind of kinds) {
  header(`of ${kind} has every required column`, async () => {
    for (const missing of names(kind)) {
      const kept = names(kind).filter((name) => name !== missing);
      const file = csv([kept, kept.map((name) => rightCells[kind][name] ?? "")]);
      assert.equal(await reasonOf(kind, file), { [missing]: ["is a required column and is missing"] });
    }
  });

  header(`of ${kind} has no column beyond those of its kind`, async () => {
    assert.equal(await reasonOf(kind, oneRow(kind, { shoe_size: "42" })), {
      shoe_size: ["is not a column of this upload"],
    });
  });

  header(`of ${kind} has no column twice`, async () => {
    const file = csv([
      [...names(kind), "date", "term", "term", "term"],
      [...values(kind), "2026-03-31", "a", "b", "c"],
    ]);
    assert.equal(await reasonOf(kind, file), {
      date: ["stands 2 times in the header: once is enough"],
      term: ["stands 3 times in the header: once is enough"],
    });
  });
}

header("keeps the columns of each kind apart", async () => {
  const unknown = (name: string) => ({ [name]: ["is not a column of this upload"] });
  for (const name of ["ad_account", "content", "event_source"]) {
    assert.equal(await reasonOf("ad_spend", oneRow("ad_spend", { [name]: "a" })), unknown(name));
  }
  for (const name of ["campaign_id", "ad_account_id", "clicks"]) {
    assert.equal(await reasonOf("metric", oneRow("metric", { [name]: "1" })), unknown(name));
  }
});

header("is written in lower case and without white space around its names", async () => {
  assert.equal(await reasonOf("metric", oneRow("metric", { Campaign: "a", " term": "b", "Content ": "c" })), {
    Campaign: ["must be written campaign, in lower case"],
    " term": ["must be written term, without white space around it"],
    "Content ": ["must be written content, without white space around it"],
  });
});

header("can have a column called __proto__, or file, or nothing, which are unknown like others", async () => {
  const reason = await reasonOf(
    "metric",
    csv([
      [...names("metric"), "__proto__", "file", ""],
      [...values("metric"), "a", "b", "c"],
    ]),
  );
  assert.is(
    JSON.stringify(reason),
    '{"__proto__":["is not a column of this upload"],"file":["is not a column of this upload"],"":["a column has no name"]}',
  );
});

header("with more than 100 unknown columns names 100 of them", async () => {
  const more = Array.from({ length: 103 }, (_, index) => `c${index}`);
  const reason = await reasonOf(
    "metric",
    csv([
      [...names("metric"), ...more],
      [...values("metric"), ...more],
    ]),
  );
  assert.is(Object.keys(reason).length, 101);
  assert.equal(Object.entries(reason).at(-1), [
    "file",
    ["the header has 3 more columns that this upload does not know"],
  ]);
  const fewer = more.slice(0, 100);
  const named = await reasonOf(
    "metric",
    csv([
      [...names("metric"), ...fewer],
      [...values("metric"), ...fewer],
    ]),
  );
  assert.equal(Object.keys(named), fewer);
});

header("with U+0000 in a name is told with a character in its place that can be stored", async () => {
  const reason = await reasonOf("metric", oneRow("metric", { "te\0rm": "x" }));
  assert.equal(reason, { "te\uFFFDrm": ["is not a column of this upload"] });
});

header("names a column that is longer than any value by its beginning", async () => {
  assert.equal(Object.keys(await reasonOf("metric", oneRow("metric", { ["x".repeat(256)]: "1" }))), ["x".repeat(256)]);
  assert.equal(Object.keys(await reasonOf("metric", oneRow("metric", { ["x".repeat(257)]: "1" }))), [
    `${"x".repeat(256)}…`,
  ]);
});

const reasons = suite("the reason");

reasons("tells all faults of a file at once, equal ones of a column together", async () => {
  const file = csv([
    ["date", "channel", "currency", "campaign", "impressions", "clicks", "shoe_size"],
    ["2026-02-30", "partner", "USD", "spring", "1,000", "1", "42"],
    ["2026-03-31", "organic", "USD", "", "x", "1", "42"],
    ["2026-02-31", "partner", "XYZ", "spring", "1", "-1", "42"],
    ["2030-01-01", "partner", "USD", "spring", "1", "1"],
  ]);
  assert.equal(await reasonOf("ad_spend", file), {
    shoe_size: ["is not a column of this upload"],
    cost: ["is a required column and is missing"],
    date: ["rows 2, 4: must be a date of the calendar written YYYY-MM-DD"],
    impressions: [
      "row 2: must be written without commas",
      "row 3: must be a whole number of 0 or more in digits alone",
    ],
    channel: ["row 3: means something else in reports: name the channel"],
    campaign: ["row 3: must not be blank"],
    currency: ["row 4: must be a currency code of ISO 4217, such as USD"],
    clicks: ["row 4: must be a whole number of 0 or more in digits alone"],
    file: ["row 5: must have 7 values, as the header has"],
  });
});

reasons("names 20 rows of one fault and counts the others", async () => {
  const file = (count: number): string => rowsOf("metric", count).replaceAll("2.5", "2,5").replaceAll(/2,5/g, '"2,5"');
  const first = Array.from({ length: 20 }, (_, index) => index + 2).join(", ");
  const fault = "must be written without commas";
  assert.equal(await reasonOf("metric", file(20)), { event_value: [`rows ${first}: ${fault}`] });
  assert.equal(await reasonOf("metric", file(21)), { event_value: [`rows ${first} and 1 more: ${fault}`] });
  assert.equal(await reasonOf("metric", file(2_021)), { event_value: [`rows ${first} and 2,001 more: ${fault}`] });
});

const limits = suite("limits of a file");

limits("are 1,048,576 bytes as sent, for every kind", async () => {
  for (const kind of kinds) {
    for (const bytes of [1_048_575, 1_048_576, 1_048_577]) {
      const file = fileOf(kind, bytes);
      assert.is(file.length, bytes);
      const tooLarge = { file: ["is 1,048,577 bytes large: at most 1,048,576 are taken"] };
      assert.equal(await reasonOf(kind, file), bytes > 1_048_576 ? tooLarge : "none");
    }
  }
});

limits("are 10,000 rows of spend", async () => {
  for (const kind of ["ad_spend", "legacy_cost"] as const) {
    for (const count of [9_999, 10_000]) {
      const validation = await validated(kind, rowsOf(kind, count));
      assert.is(validation.outcome === "valid" && validation.rows.length, count);
    }
    assert.equal(await reasonOf(kind, rowsOf(kind, 10_001)), { file: ["has more than 10,000 rows below its header"] });
  }
});

limits("are 200,000 rows of metrics", async () => {
  for (const count of [199_999, 200_000]) {
    const validation = await validated("metric", gzipSync(rowsOf("metric", count)));
    assert.is(validation.outcome === "valid" && validation.rows.length, count);
  }
  assert.equal(await reasonOf("metric", gzipSync(rowsOf("metric", 200_001))), {
    file: ["has more than 200,000 rows below its header"],
  });
});

limits("are 32 MiB inflated", async () => {
  const most = 32 * 1024 * 1024;
  for (const bytes of [most - 1, most]) assert.equal(await inflated(bytes), bytes);
  assert.equal(await inflated(most + 1), "file.too_large_inflated");
});

async function inflated(bytes: number): Promise<number | string> {
  let length = 0;
  try {
    const file = { bytes: gzipSync(Buffer.alloc(bytes, "a")), fileName: "a.csv.gz" };
    for await (const piece of readUploadFile(file)) length += piece.length;
    return length;
  } catch (failure) {
    return failure instanceof UnreadableFile ? failure.fault.code : String(failure);
  }
}

limits("of what is inflated hold for rows that are right until there", async () => {
  const row = csv([Object.values({ ...rightCells.metric, campaign: "c".repeat(250) })]);
  const file = csv([[...names("metric"), "campaign"]]) + row.repeat(Math.ceil((32 * 1024 * 1024) / row.length));
  assert.equal(await reasonOf("metric", gzipSync(file)), {
    file: ["is more than 33,554,432 bytes large when inflated"],
  });
});

limits("are one row at least", async () => {
  assert.equal(await reasonOf("metric", csv([names("metric")])), { file: ["has no rows below its header"] });
  assert.equal(await reasonOf("metric", ""), { file: ["is empty"] });
  assert.equal(await reasonOf("metric", "\ufeff"), { file: ["is empty"] });
  assert.equal(await reasonOf("metric", gzipSync("")), { file: ["is empty"] });
});

limits("leave other work its turn, 500 rows at the most before it", async () => {
  let isOver = false;
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  await validated("ad_spend", rowsOf("ad_spend", 10_000));
  isOver = true;
  assert.ok(turns >= 20, `${turns} turns`);
});

const gzip = suite("a gzip file");
const right = Buffer.from(oneRow("metric"));

gzip("is known by its first bytes or its name", async () => {
  for (const fileName of ["rows.csv", "rows.csv.gz", "ROWS.GZ"]) {
    assert.equal(await validated("metric", gzipSync(right), { fileName }), await validated("metric", right));
  }
  for (const fileName of ["rows.csv.gz", "ROWS.GZ"]) {
    assert.equal(await reasonOf("metric", right, { fileName }), { file: ["is called .gz and is not gzip"] });
  }
});

gzip("is taken of every kind", async () => {
  for (const kind of kinds) assert.equal(await reasonOf(kind, gzipSync(oneRow(kind))), "none");
});

gzip("of several members is all of them", async () => {
  const members = [right.subarray(0, 7), right.subarray(7), Buffer.from(csv([values("metric")]))];
  const validation = await validated("metric", Buffer.concat(members.map((member) => gzipSync(member))));
  assert.is(validation.outcome === "valid" && validation.rows.length, 2);
});

gzip("that was cut off anywhere is refused", async () => {
  const whole = gzipSync(right);
  for (let length = 2; length < whole.length; length += 1) {
    assert.equal(
      await reasonOf("metric", whole.subarray(0, length)),
      { file: ["is gzip that ends too early"] },
      `${length}`,
    );
  }
});

gzip("whose second member was cut off anywhere is refused", async () => {
  const whole = gzipSync(right);
  const more = gzipSync(csv([values("metric")]));
  for (let length = 1; length < more.length; length += 1) {
    const reason = await reasonOf("metric", Buffer.concat([whole, more.subarray(0, length)]));
    assert.not.equal(reason, "none", `${length}`);
  }
});

gzip("that was damaged is refused", async () => {
  const whole = gzipSync(right);
  for (const index of [12, 20, whole.length - 6]) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8((damaged.readUInt8(index) ^ 0xff) & 0xff, index);
    assert.equal(Object.keys(await reasonOf("metric", damaged)), ["file"], `${index}`);
  }
});

header.run();
reasons.run();
limits.run();
gzip.run();
