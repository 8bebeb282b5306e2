import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { kinds, oneRow, reasonOf, rightCells } from "./csv-files.ts";

const spendKinds = ["ad_spend", "legacy_cost"] as const;
const newKinds = ["ad_spend", "metric"] as const;

const channels: readonly ChannelProfile[] = [
  { name: "bigads", displayName: "Big Ads", type: "custom", selfAttributing: false, costIntegrated: true },
];

interface Rule {
  readonly kinds: readonly UploadKind[];
  readonly column: string;
  readonly taken: readonly string[];
  readonly refused: readonly (readonly [value: string, fault: string])[];
}

const date = "must be a date of the calendar written YYYY-MM-DD";
const whole = "must be a whole number of 0 or more in digits alone";
const decimal = "must be a decimal number such as 12.34: no sign, exponent, currency or space";
const signed = "must be a decimal number such as 12.34 or -0.5: no plus sign, exponent or space";
const commas = "must be written without commas";
const currency = "must be a currency code of ISO 4217, such as USD";
const upperCurrency = "must be a currency code of ISO 4217 in upper case, such as USD";
const country = "must be a country code of ISO 3166 with 2 letters, such as US";
const lowerCountry = "must be a country code of ISO 3166 with 2 letters in lower case, such as us";
const reserved = "means something else in reports: name the channel";
const category = "may hold letters and digits of English, space and _ - . : / ( ) % # & + alone";
const metricKey = "is a metric of the report already: choose another name";
const boolean = "must be true, TRUE, false or FALSE";

const rules: readonly Rule[] = [
  {
    kinds,
    column: "date",
    taken: ["2026-03-31", "2026-01-31", "2026-04-02", "2026-04-03"],
    refused: [
      ["2026-02-30", date],
      ["2026-02-29", date],
      ["2026-13-01", date],
      ["2026-00-10", date],
      ["2026-03-00", date],
      ["2026-04-31", date],
      ["2026-3-1", date],
      ["20260331", date],
      ["31/03/2026", date],
      ["2026-03-31T00:00:00Z", date],
      ["today", date],
      ["２０２６-０３-３１", date],
    ],
  },
  {
    kinds: newKinds,
    column: "date",
    taken: ["2000-01-01", "2000-02-29", "2024-02-29"],
    refused: [
      ["1999-12-31", "must be from 2000-01-01 to 2026-04-03"],
      ["2026-04-04", "must be from 2000-01-01 to 2026-04-03"],
      ["0000-01-01", date],
      ["2100-02-29", date],
    ],
  },
  {
    kinds: ["legacy_cost"],
    column: "date",
    // 92 days before the 3rd of April.
    taken: ["2026-01-02", "2026-01-01"],
    refused: [
      ["2025-12-31", "must be from 2026-01-01 to 2026-04-03"],
      ["2026-04-04", "must be from 2026-01-01 to 2026-04-03"],
    ],
  },
  {
    kinds,
    column: "channel",
    taken: ["facebook_page", "twitter", "naver.searchad", "spring sale", "한국"],
    refused: [
      ["unattributed", reserved],
      ["restricted", reserved],
      ["organic", reserved],
      ["a\u0001b", "must not hold control characters"],
      ["a\nb", "must not hold control characters"],
    ],
  },
  {
    kinds: newKinds,
    column: "channel",
    taken: ["Google Ads", "google.adwords", "bigads", "Big Ads", "My Newsletter"],
    refused: [],
  },
  {
    kinds: ["legacy_cost"],
    column: "channel",
    taken: ["snapchat"],
    refused: [
      ["Snapchat", "must be the channel's name, which is in lower case"],
      ["My Newsletter", "must be the channel's name, which is in lower case"],
      ["google.adwords", "is a channel whose cost comes by itself: it cannot be uploaded"],
      ["bigads", "is a channel whose cost comes by itself: it cannot be uploaded"],
    ],
  },
  {
    kinds: newKinds,
    column: "currency",
    taken: ["USD", "usd", "Krw"],
    refused: [
      ["US", currency],
      ["USDT", currency],
      ["XYZ", currency],
      ["$", currency],
      ["constructor", currency],
    ],
  },
  {
    kinds: ["legacy_cost"],
    column: "currency",
    taken: ["USD", "KRW"],
    refused: [
      ["usd", upperCurrency],
      ["Usd", upperCurrency],
      ["XYZ", upperCurrency],
    ],
  },
  {
    kinds: newKinds,
    column: "country",
    taken: ["US", "us", "Kr"],
    // U+FB06 has "ST" as its upper case, which is a country.
    refused: [
      ["USA", country],
      ["U", country],
      ["XX", country],
      ["ﬆ", country],
      ["12", country],
    ],
  },
  {
    kinds: ["legacy_cost"],
    column: "country",
    taken: ["us", "kr"],
    refused: [
      ["US", lowerCountry],
      ["Us", lowerCountry],
      ["xx", lowerCountry],
      ["usa", lowerCountry],
    ],
  },
  {
    kinds,
    column: "os_name",
    taken: ["Android", "iOS", "Web", "tvOS", "harmony"],
    refused: [
      ["android", "must be spelled Android to match measured data"],
      ["ANDROID", "must be spelled Android to match measured data"],
      ["IOS", "must be spelled iOS to match measured data"],
      ["ios", "must be spelled iOS to match measured data"],
      ["web", "must be spelled Web to match measured data"],
    ],
  },
  {
    kinds: spendKinds,
    column: "impressions",
    taken: ["0", "007", "9007199254740990", "9007199254740991"],
    refused: [
      ["9007199254740992", "must be at most 9007199254740991"],
      ["9".repeat(256), "must be at most 9007199254740991"],
      ["1,000", commas],
      ["1.0", whole],
      ["-1", whole],
      ["+1", whole],
      ["1e3", whole],
      ["0x10", whole],
      ["NaN", whole],
      ["1 000", whole],
      ["ten", whole],
      ["１", whole],
    ],
  },
  {
    kinds: spendKinds,
    column: "clicks",
    taken: ["0"],
    refused: [
      ["1.5", whole],
      ["2,000", commas],
    ],
  },
  {
    kinds: spendKinds,
    column: "cost",
    taken: ["0", "0.00", "12", "1.12345", "1.123456", "99999999999999999999.000001", "9".repeat(256)],
    refused: [
      ["1.1234567", "must have at most 6 decimals"],
      ["-0.01", "must be 0 or more"],
      ["-1", "must be 0 or more"],
      ["1,234.5", commas],
      ["1,5", commas],
      ["+1", decimal],
      ["1e3", decimal],
      ["$1", decimal],
      [".5", decimal],
      ["5.", decimal],
      [".", decimal],
      ["-", decimal],
      ["1.2.3", decimal],
      ["Infinity", decimal],
      ["NaN", decimal],
    ],
  },
  {
    kinds: ["metric"],
    column: "event_value",
    taken: ["0", "-0.5", "-12", "1.123456789012", "9".repeat(256)],
    refused: [
      ["1,000", commas],
      ["+1", signed],
      ["1e3", signed],
      ["--1", signed],
      ["-", signed],
      ["-.5", signed],
      ["Infinity", signed],
      ["1-", signed],
    ],
  },
  {
    kinds: ["metric"],
    column: "event_category",
    taken: ["Store visits", "a_b-c.d:e/f(g)h%i#j&k+l", "2026", "app_installs2"],
    refused: [
      ["a,b", category],
      ['a"b', category],
      ["a\\b", category],
      ["a;b", category],
      ["a\tb", category],
      ["café", category],
      ["방문", category],
      ["app_installs", metricKey],
      ["app_installs_users", metricKey],
      ["clicks", metricKey],
      ["custom:visit", metricKey],
      ["custom_users:visit", metricKey],
    ],
  },
  {
    kinds: ["metric"],
    column: "event_source",
    taken: ["app", "web", "tracking_link"],
    refused: [
      ["App", "must be app, web or tracking_link"],
      ["tracking-link", "must be app, web or tracking_link"],
    ],
  },
  ...["is_first_event_per_device_id", "is_first_event_per_user_id"].map(
    (column): Rule => ({
      kinds: ["metric"],
      column,
      taken: ["true", "TRUE", "false", "FALSE"],
      refused: [
        ["True", boolean],
        ["1", boolean],
        ["yes", boolean],
      ],
    }),
  ),
];

const cells = suite("a cell");

for (const { kinds, column, taken, refused } of rules) {
  for (const kind of kinds) {
    if (taken.length > 0) {
      cells(`${column} of ${kind} takes ${taken.map(shortened).join(" ")}`, async () => {
        for (const value of taken) {
          assert.equal(await reasonOf(kind, oneRow(kind, { [column]: value }), { channels }), "none", value);
        }
      });
    }
    if (refused.length > 0) {
      cells(`${column} of ${kind} refuses ${refused.map(([value]) => shortened(value)).join(" ")}`, async () => {
        for (const [value, fault] of refused) {
          const reason = await reasonOf(kind, oneRow(kind, { [column]: value }), { channels });
          assert.equal(reason, { [column]: [`row 2: ${fault}`] }, value);
        }
      });
    }
  }
}

const texts = suite("any value");

const textColumns: Readonly<Record<UploadKind, readonly string[]>> = {
  ad_spend: [
    ...["campaign", "campaign_id", "ad_group", "ad_group_id", "ad_creative", "ad_creative_id", "term", "term_id"],
    ...["ad_account_id", "sub_publisher", "sub_sub_publisher_1", "sub_sub_publisher_2", "sub_sub_publisher_3"],
  ],
  legacy_cost: ["campaign", "ad_account", "ad_account_id"],
  metric: ["campaign", "ad_group", "ad_creative", "content", "term", "sub_publisher", "sub_sub_publisher_3"],
};

for (const kind of kinds) {
  texts(`of ${kind} has at most 256 characters`, async () => {
    for (const column of textColumns[kind]) {
      for (const character of ["a", "é", "한", "😀"]) {
        for (const count of [1, 255, 256]) {
          assert.equal(await reasonOf(kind, oneRow(kind, { [column]: character.repeat(count) })), "none", column);
        }
        const tooLong = { [column]: ["row 2: must have at most 256 characters"] };
        assert.equal(await reasonOf(kind, oneRow(kind, { [column]: character.repeat(257) })), tooLong);
        assert.equal(await reasonOf(kind, oneRow(kind, { [column]: character.repeat(600) })), tooLong);
      }
    }
  });

  texts(`of ${kind} has no white space around it`, async () => {
    for (const column of [...Object.keys(rightCells[kind]), ...textColumns[kind]]) {
      const right = rightCells[kind][column] ?? "a";
      for (const value of [
        ` ${right}`,
        `${right} `,
        `\t${right}`,
        `${right}\u00a0`,
        `\u3000${right}`,
        " ",
        `${right}\n`,
      ]) {
        const reason = await reasonOf(kind, oneRow(kind, { [column]: value }));
        assert.equal(reason, { [column]: ["row 2: must not begin or end with white space"] }, JSON.stringify(value));
      }
    }
  });

  texts(`of ${kind} may be blank in optional columns alone`, async () => {
    for (const column of Object.keys(rightCells[kind])) {
      const number = ["impressions", "clicks", "cost", "event_value"].includes(column);
      const fault = number ? "must not be blank: write 0 where there is nothing" : "must not be blank";
      assert.equal(await reasonOf(kind, oneRow(kind, { [column]: "" })), { [column]: [`row 2: ${fault}`] });
    }
    for (const column of textColumns[kind].filter((name) => rightCells[kind][name] === undefined)) {
      assert.equal(await reasonOf(kind, oneRow(kind, { [column]: "" })), "none");
    }
  });

  texts(`of ${kind} does not hold U+0000`, async () => {
    const column = textColumns[kind].at(-1) ?? "campaign";
    assert.equal(await reasonOf(kind, oneRow(kind, { [column]: "a\0b" })), {
      [column]: ["row 2: must not contain the character U+0000 or an unpaired surrogate"],
    });
  });
}

texts("with commas, quotation marks and line ends within stands between quotation marks", async () => {
  assert.equal(await reasonOf("ad_spend", oneRow("ad_spend", { campaign: 'a "b", c\r\nd' })), "none");
});

cells.run();
texts.run();

function shortened(value: string): string {
  const text = JSON.stringify(value).slice(1, -1);
  return text.length > 40 ? `${text.slice(0, 10)}... (${value.length})` : text;
}
