import type { Translated } from "../../values/language.ts";

/** A row of the catalogue as the metadata endpoints tell it. */
export interface FieldText {
  readonly name: Translated;
  readonly example: string;
  readonly description: Translated;
}

/** A field by its name; what it says is its name where nothing else is told. */
export function field(name: Translated, example: string, description: Translated = name): FieldText {
  return { name, example, description };
}
