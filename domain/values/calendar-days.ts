import { addDays, daysBetween, type LocalDate, weekdayOf } from "./local-time.ts";

/** A local date as reports group by it; see the catalogue for what each text says. */
export interface CalendarDay {
  readonly date: LocalDate;
  readonly year: string;
  readonly month: string;
  readonly week: string;
  readonly dayOfWeek: string;
}

/** Every date of a range, both ends counted. */
export function calendarDays(from: LocalDate, to: LocalDate): readonly CalendarDay[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => calendarDay(addDays(from, index)));
}

function calendarDay(date: LocalDate): CalendarDay {
  const dayOfWeek = weekdayOf(date);
  return {
    date,
    year: date.slice(0, 4),
    month: date.slice(0, 7),
    week: addDays(date, 1 - dayOfWeek),
    dayOfWeek: String(dayOfWeek),
  };
}
