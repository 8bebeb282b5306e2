import type { ReadCell, UploadRules } from "./cell.ts";

export const readText: ReadCell = (text) => text;

const notCurrency = { code: "cell.currency" };
const notUpperCurrency = { code: "cell.currency_upper_case" };
const notCountry = { code: "cell.country" };
const notLowerCountry = { code: "cell.country_lower_case" };

/** Accepted in either case, stored in upper case (contract/uploads.md#values). */
export const readCurrency: ReadCell = (text, rules) => upperCode(text, 3, rules.isCurrency) ?? notCurrency;
export const readCountry: ReadCell = (text, rules) => upperCode(text, 2, rules.isCountryCode) ?? notCountry;

/** Legacy cost: upper case only (contract/uploads.md#legacy-cost). */
export const readUpperCurrency: ReadCell = (text, rules) =>
  text === text.toUpperCase() ? (upperCode(text, 3, rules.isCurrency) ?? notUpperCurrency) : notUpperCurrency;

/** Legacy cost: lower case only, stored in upper case as measured data is (contract/uploads.md#legacy-cost). */
export const readLowerCountry: ReadCell = (text, rules) =>
  text === text.toLowerCase() ? (upperCode(text, 2, rules.isCountryCode) ?? notLowerCountry) : notLowerCountry;

/** Only ASCII letters: the upper case of other letters can be an ASCII letter. */
function upperCode(text: string, length: number, isCode: UploadRules["isCurrency"]): string | null {
  if (text.length !== length) return null;
  let isUpper = true;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    const letter = code | 0x20;
    if (letter < 0x61 || letter > 0x7a) return null;
    isUpper &&= code !== letter;
  }
  const code = isUpper ? text : text.toUpperCase();
  return isCode(code) ? code : null;
}

const misspelled = new Map(
  ["Android", "iOS", "Web"].map((name) => [name.toLowerCase(), { code: "cell.os_name", params: { name } }]),
);

/** Any text, except other spellings of measured systems (contract/uploads.md#values). */
export const readOsName: ReadCell = (text) => {
  if (text === "Android" || text === "iOS" || text === "Web") return text;
  return misspelled.get(text.toLowerCase()) ?? text;
};

const notSource = { code: "cell.event_source" };

export const readEventSource: ReadCell = (text) =>
  text === "app" || text === "web" || text === "tracking_link" ? text : notSource;

const notBoolean = { code: "cell.boolean" };

export const readBoolean: ReadCell = (text) => {
  if (text === "true" || text === "TRUE") return true;
  return text === "false" || text === "FALSE" ? false : notBoolean;
};

const symbols = new Set([..." _-.:/()%#&+"].map((symbol) => symbol.charCodeAt(0)));
const notCategory = { code: "cell.event_category" };
const reportMetric = { code: "cell.report_metric" };

/** The name of an uploaded metric in reports (contract/uploads.md#values). */
export const readEventCategory: ReadCell = (text, rules) => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!isAlphanumeric(code) && !symbols.has(code)) return notCategory;
  }
  return rules.isReportMetric(text) ? reportMetric : text;
};

function isAlphanumeric(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
