import { addDays, daysBetween, type LocalDate } from "../values/local-time.ts";
import { rawExportLimits } from "./export-query.ts";

/** A local date of an app, and the number of an export among those requested on it, from 1. */
export interface ExportPlace {
  readonly appId: number;
  readonly date: LocalDate;
  readonly number: number;
}

const epoch = "1970-01-01";
/** Three digits for the number and five for the date, which last until the year 2243. */
const perDate = 1_000;
const perApp = 100_000 * perDate;

/** The `reportID` of an export: its app, its date and its number in one integer. */
export function reportIdOf({ appId, date, number }: ExportPlace): number {
  return appId * perApp + daysBetween(epoch, date) * perDate + number;
}

/** The app, date and number of a `reportID`; null for a number that no export can have. */
export function placeOf(reportId: number): ExportPlace | null {
  if (!Number.isSafeInteger(reportId) || reportId < perApp) return null;
  const number = reportId % perDate;
  if (number < 1 || number > rawExportLimits.perDay) return null;
  const days = Math.floor((reportId % perApp) / perDate);
  return { appId: Math.floor(reportId / perApp), date: addDays(epoch, days), number };
}
