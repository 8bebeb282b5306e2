import { join } from "node:path";
import { createGenerator, type Schema } from "ts-json-schema-generator";
import { root } from "../../support/paths.ts";

export const shapesFile = join(root, "infra/event-log/event-shapes.json");

/** The text of `infra/event-log/event-shapes.json`: JSON schemas of the data of every event, from the types in `domain`. */
export function eventShapes(): string {
  const { anyOf = [], definitions = {} } = createGenerator({
    path: join(root, "domain/event-catalogue.ts"),
    tsconfig: join(root, "tsconfig.json"),
    type: "StoredEvent",
    skipTypeCheck: true,
    additionalProperties: true,
    topRef: false,
    expose: "none",
    encodeRefs: false,
    jsDoc: "none",
  }).createSchema("StoredEvent");
  // The generator adds an empty schema, for the index of a type by all of its keys.
  const events = anyOf.filter((event) => Object.keys(event).length > 0);
  const shapes = events.flatMap(shapesIn).sort(([one], [other]) => (one < other ? -1 : 1));
  // Types that contain themselves, under names without their places in the sources.
  const names = Object.keys(definitions).filter((name) =>
    JSON.stringify(shapes).includes(JSON.stringify(`#/definitions/${name}`)),
  );
  const recursive = Object.fromEntries(names.map((name, index) => [String(index + 1), definitions[name]]));
  const lines = [...shapes, ["definitions", recursive] as const].map(
    ([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  return names.reduce(
    (text, name, index) => text.replaceAll(JSON.stringify(`#/definitions/${name}`), `"#/definitions/${index + 1}"`),
    `{\n${lines.join(",\n")}\n}\n`,
  );
}

/** The types in a union, with the schemas of their data. Chunks of files are bytes. */
function shapesIn(event: Schema | boolean): readonly (readonly [type: string, data: unknown])[] {
  if (typeof event === "boolean") throw new Error("An event has no schema");
  if (event.anyOf !== undefined) return event.anyOf.flatMap(shapesIn);
  const { type, data } = (event.properties ?? {}) as { readonly type?: Schema; readonly data?: unknown };
  if (typeof type?.const !== "string") throw new Error(`An event has no type: ${JSON.stringify(event).slice(0, 200)}`);
  return type.const === "FileChunk" ? [] : [[type.const, data]];
}
