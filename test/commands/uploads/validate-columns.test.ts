import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { Message } from "../../../domain/fault.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { kindNames, uploadKinds } from "../../../domain/uploads/upload-kinds.ts";
import { faultsOf, inRows, oneRow, textColumns, validCells } from "./csv-files.ts";

const spendKinds = ["ad_spend", "legacy_cost"] as const;
const newKinds = ["ad_spend", "metric"] as const;
const kindsWith = (column: string): readonly UploadKind[] =>
  kindNames.filter((kind) => uploadKinds[kind].columns.some(({ name }) => name === column));

const channels: readonly ChannelProfile[] = [
  { name: "bigads", displayName: "Big Ads", type: "custom", selfAttributing: false, costIntegrated: true },
];

/** Several values, separated by `|`. */
type Values = string;

interface Rule {
  readonly kinds: readonly UploadKind[];
  readonly column: string;
  readonly accepted?: Values;
  readonly refused?: readonly (readonly [fault: string | Message, values: Values])[];
}

const outOfRange = (from: string): Message => ({ code: "cell.date_out_of_range", params: { from, to: "2026-04-03" } });
const misspelled = (name: string): Message => ({ code: "cell.os_name", params: { name } });

const rules: readonly Rule[] = [
  {
    kinds: kindsWith("date"),
    column: "date",
    accepted: "2026-03-31|2026-01-31|2026-04-02|2026-04-03",
    refused: [
      ["cell.not_a_date", "2026-02-30|2026-02-29|2026-13-01|2026-00-10|2026-03-00|2026-04-31|2026-3-1|20260331"],
      ["cell.not_a_date", "31/03/2026|2026-03-31T00:00:00Z|today|２０２６-０３-３１"],
    ],
  },
  {
    kinds: newKinds,
    column: "date",
    accepted: "2000-01-01|2000-02-29|2024-02-29",
    refused: [
      [outOfRange("2000-01-01"), "1999-12-31|2026-04-04"],
      ["cell.not_a_date", "0000-01-01|2100-02-29"],
    ],
  },
  {
    kinds: ["legacy_cost"],
    column: "date",
    // 92 days before the 3rd of April.
    accepted: "2026-01-02|2026-01-01",
    refused: [[outOfRange("2026-01-01"), "2025-12-31|2026-04-04"]],
  },
  {
    kinds: kindsWith("channel"),
    column: "channel",
    accepted: "facebook_page|twitter|naver.searchad|spring sale|한국",
    refused: [
      ["cell.reserved_channel", "unattributed|restricted|organic"],
      ["cell.control_characters", "a\u0001b|a\nb"],
    ],
  },
  { kinds: newKinds, column: "channel", accepted: "Google Ads|google.adwords|bigads|Big Ads|My Newsletter" },
  {
    kinds: ["legacy_cost"],
    column: "channel",
    accepted: "snapchat",
    refused: [
      ["cell.channel_not_lower_case", "Snapchat|My Newsletter"],
      ["cell.cost_integrated", "google.adwords|bigads"],
    ],
  },
  {
    kinds: newKinds,
    column: "currency",
    accepted: "USD|usd|Krw",
    refused: [["cell.currency", "US|USDT|XYZ|uſd|$|constructor"]],
  },
  {
    kinds: ["legacy_cost"],
    column: "currency",
    accepted: "USD|KRW",
    refused: [["cell.currency_upper_case", "usd|Usd|XYZ"]],
  },
  {
    kinds: newKinds,
    column: "country",
    accepted: "US|us|Kr",
    // The upper case of U+FB06 is "ST", which is a country, as is that of "u" and U+017F, "US".
    refused: [["cell.country", "USA|U|XX|ﬆ|uſ|12"]],
  },
  {
    kinds: ["legacy_cost"],
    column: "country",
    accepted: "us|kr",
    refused: [["cell.country_lower_case", "US|Us|xx|usa"]],
  },
  {
    kinds: kindsWith("os_name"),
    column: "os_name",
    accepted: "Android|iOS|Web|tvOS|harmony",
    refused: [
      [misspelled("Android"), "android|ANDROID"],
      [misspelled("iOS"), "IOS|ios"],
      [misspelled("Web"), "web"],
    ],
  },
  {
    kinds: spendKinds,
    column: "impressions",
    accepted: "0|007|9007199254740990|9007199254740991",
    refused: [
      [{ code: "cell.too_great", params: { limit: 9007199254740991 } }, `9007199254740992|${"9".repeat(256)}`],
      ["cell.commas", "1,000"],
      ["cell.not_a_whole_number", "1.0|-1|+1|1e3|0x10|NaN|1 000|ten|１"],
    ],
  },
  {
    kinds: spendKinds,
    column: "clicks",
    accepted: "0",
    refused: [
      ["cell.not_a_whole_number", "1.5"],
      ["cell.commas", "2,000"],
    ],
  },
  {
    kinds: spendKinds,
    column: "cost",
    accepted: `0|0.00|12|1.12345|1.123456|99999999999999999999.000001|${"9".repeat(256)}`,
    refused: [
      ["cell.too_precise", "1.1234567"],
      ["cell.negative", "-0.01|-1"],
      ["cell.commas_in_decimal", "1,234.5|1,5|12,50"],
      ["cell.not_a_decimal", "+1|1e3|$1|.5|5.|.|-|1.2.3|Infinity|NaN"],
    ],
  },
  {
    kinds: ["metric"],
    column: "event_value",
    accepted: `0|-0.5|-12|1.123456789012|${"9".repeat(256)}`,
    refused: [
      ["cell.commas_in_decimal", "1,000|-1,5"],
      ["cell.not_a_signed_decimal", "+1|1e3|--1|-|-.5|Infinity|1-"],
    ],
  },
  {
    kinds: ["metric"],
    column: "event_category",
    accepted: "Store visits|a_b-c.d:e/f(g)h%i#j&k+l|2026|app_installs2",
    refused: [
      ["cell.event_category", 'a,b|a"b|a\\b|a;b|a\tb|café|방문'],
      ["cell.report_metric", "app_installs|app_installs_users|clicks|custom:visit|custom_users:visit"],
    ],
  },
  {
    kinds: ["metric"],
    column: "event_source",
    accepted: "app|web|tracking_link",
    refused: [["cell.event_source", "App|tracking-link"]],
  },
  ...["is_first_event_per_device_id", "is_first_event_per_user_id"].map(
    (column): Rule => ({
      kinds: ["metric"],
      column,
      accepted: "true|TRUE|false|FALSE",
      refused: [["cell.boolean", "True|1|yes"]],
    }),
  ),
];

const cells = suite("a cell");

for (const { kinds, column, accepted, refused = [] } of rules) {
  for (const kind of kinds) {
    const faultsOfCell = (value: string) => faultsOf(kind, oneRow(kind, { [column]: value }), { channels });
    if (accepted !== undefined) {
      cells(`${column} of ${kind} can be ${shortened(accepted)}`, async () => {
        for (const value of accepted.split("|")) assert.equal(await faultsOfCell(value), [], value);
      });
    }
    for (const [fault, values] of refused) {
      const message = typeof fault === "string" ? { code: fault } : fault;
      cells(`${column} of ${kind} cannot be ${shortened(values)}: ${message.code}`, async () => {
        const expected = [inRows(message, column, [2])];
        for (const value of values.split("|")) assert.equal(await faultsOfCell(value), expected, value);
      });
    }
  }
}

const texts = suite("any value");

for (const kind of kindNames) {
  const faultsOfCell = (column: string, value: string) => faultsOf(kind, oneRow(kind, { [column]: value }));

  texts(`of ${kind} has at most 256 characters`, async () => {
    for (const column of textColumns(kind)) {
      const tooLong = [inRows({ code: "cell.too_long", params: { limit: 256 } }, column, [2])];
      for (const character of ["a", "é", "한", "😀"]) {
        for (const count of [1, 255, 256]) assert.equal(await faultsOfCell(column, character.repeat(count)), []);
        for (const count of [257, 600]) assert.equal(await faultsOfCell(column, character.repeat(count)), tooLong);
      }
    }
  });

  texts(`of ${kind} has no outer white space`, async () => {
    for (const column of [...Object.keys(validCells[kind]), ...textColumns(kind)]) {
      const valid = validCells[kind][column] ?? "a";
      const outer = [` ${valid}`, `${valid} `, `\t${valid}`, `${valid}\u00a0`, `\u3000${valid}`, " ", `${valid}\n`];
      const expected = [inRows({ code: "cell.white_space" }, column, [2])];
      for (const value of outer) assert.equal(await faultsOfCell(column, value), expected, JSON.stringify(value));
    }
  });

  texts(`of ${kind} may be blank in optional columns only`, async () => {
    for (const { name, type } of uploadKinds[kind].columns.filter(({ name }) => name in validCells[kind])) {
      const isNumber = type === "decimal" || type === "integer";
      const expected = inRows({ code: isNumber ? "cell.blank_number" : "cell.blank" }, name, [2]);
      assert.equal(await faultsOfCell(name, ""), [expected]);
    }
    for (const column of textColumns(kind).filter((name) => validCells[kind][name] === undefined)) {
      assert.equal(await faultsOfCell(column, ""), []);
    }
  });

  texts(`of ${kind} does not contain U+0000`, async () => {
    for (const column of textColumns(kind)) {
      assert.equal(await faultsOfCell(column, "a\0b"), [inRows({ code: "cell.illegal_text" }, column, [2])]);
    }
  });
}

texts("with commas, quotation marks and line ends is valid between quotation marks", async () => {
  assert.equal(await faultsOf("ad_spend", oneRow("ad_spend", { campaign: 'a "b", c\r\nd' })), []);
});

cells.run();
texts.run();

function shortened(values: string): string {
  return JSON.stringify(values).slice(1, -1).replaceAll("9".repeat(256), "9... (256)").replaceAll("|", " ");
}
