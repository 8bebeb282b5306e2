import { InvalidArgumentError } from "commander";

/** The text of an option or argument, which is empty where a script's variable is not set. */
export function nonEmpty(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It is empty.");
  return text;
}

/** Parses a whole number from 0 to `max`, in digits. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(number <= max)) throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    return number;
  };
}
