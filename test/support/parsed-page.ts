/** The markup of a page: tags with their attributes in order, and the text between them, decoded. */
export type Markup =
  | { readonly tag: string; readonly attributes: { readonly [name: string]: string } }
  | { readonly text: string };

const token = /<(!doctype html|\/?[a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>|([^<>]+)/gy;
const entities: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/**
 * Reads a page in the strictest way: every character must belong to a tag with quoted attributes or to text without
 * brackets, and every `&` to one of five entities. Throws for anything else, so nothing can hide between two readings.
 */
export function parsePage(html: string): readonly Markup[] {
  const markup: Markup[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < html.length) {
    const at = token.lastIndex;
    const match = token.exec(html);
    if (match === null) throw new Error(`No markup: ${html.slice(at, at + 80)}`);
    const [, tag, attributes = "", text] = match;
    if (tag === undefined) markup.push({ text: decoded(text ?? "") });
    else {
      const pairs = [...attributes.matchAll(/ ([a-z-]+)="([^"]*)"/g)];
      markup.push({
        tag,
        attributes: Object.fromEntries(pairs.map(([, name, value]) => [name, decoded(value ?? "")])),
      });
    }
  }
  return markup;
}

function decoded(text: string): string {
  return text.replace(/&([a-z#0-9]*;)?/g, (all, name: string | undefined) => {
    const character = entities[name?.slice(0, -1) ?? ""];
    if (character === undefined) throw new Error(`No entity: ${all}`);
    return character;
  });
}
