import { cellFault, type ReadCell, type UploadRules } from "./cell.ts";

export const readText: ReadCell = (text) => text;

const notCurrency = cellFault("must be a currency code of ISO 4217, such as USD");
const notUpperCurrency = cellFault("must be a currency code of ISO 4217 in upper case, such as USD");
const notCountry = cellFault("must be a country code of ISO 3166 with 2 letters, such as US");
const notLowerCountry = cellFault("must be a country code of ISO 3166 with 2 letters in lower case, such as us");

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

const systems = ["Android", "iOS", "Web"] as const;
const misspelled = new Map(
  systems.map((system) => [system.toLowerCase(), cellFault(`must be spelled ${system} to match measured data`)]),
);

/** Any text, except other spellings of measured systems (contract/uploads.md#values). */
export const readOsName: ReadCell = (text) => {
  if (text === "Android" || text === "iOS" || text === "Web") return text;
  return misspelled.get(text.toLowerCase()) ?? text;
};

const notSource = cellFault("must be app, web or tracking_link");

export const readEventSource: ReadCell = (text) =>
  text === "app" || text === "web" || text === "tracking_link" ? text : notSource;

const notBoolean = cellFault("must be true, TRUE, false or FALSE");

export const readBoolean: ReadCell = (text) => {
  if (text === "true" || text === "TRUE") return true;
  return text === "false" || text === "FALSE" ? false : notBoolean;
};

const symbols = new Set([..." _-.:/()%#&+"].map((symbol) => symbol.charCodeAt(0)));
const notCategory = cellFault("may hold letters and digits of English, space and _ - . : / ( ) % # & + alone");
const reportMetric = cellFault("is a metric of the report already: choose another name");

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
