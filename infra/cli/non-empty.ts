import { InvalidArgumentError } from "commander";

/** The text of an option or argument, which is empty where a script's variable is not set. */
export function nonEmpty(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It is empty.");
  return text;
}
