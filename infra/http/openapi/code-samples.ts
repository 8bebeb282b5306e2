import type { CodeSample, OpenApiOperation, Parameter } from "./open-api.ts";

interface SampleCall {
  readonly method: string;
  readonly template: string;
  readonly server: string;
  readonly parameters: readonly Parameter[];
  readonly body: unknown;
  readonly isForm: boolean;
  readonly idempotent: boolean;
  readonly takesToken: boolean;
  readonly returns: "nothing" | "json" | "text";
}

/** The example of a parameter that repeats the token; samples read both from the environment. */
export const tokenExample = "$TOUCHLEDGER_TOKEN";

/** How an operation is called, from its examples; the token is in the environment variable `TOUCHLEDGER_TOKEN`. */
export function codeSamples(
  method: string,
  template: string,
  operation: Pick<OpenApiOperation, "parameters" | "requestBody" | "responses" | "security">,
  server: string,
): readonly CodeSample[] {
  const { parameters, requestBody, responses, security } = operation;
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const call: SampleCall = {
    method: method.toUpperCase(),
    template,
    server,
    parameters,
    body: content?.example,
    isForm: mediaType === "multipart/form-data",
    idempotent: parameters.some(({ name }) => name === "Idempotency-Key"),
    takesToken: security.length > 0,
    returns: bodyOf(responses),
  };
  return [
    { lang: "curl", source: curl(call) },
    { lang: "TypeScript", source: typeScript(call) },
    { lang: "Python", source: python(call) },
  ];
}

function bodyOf(responses: OpenApiOperation["responses"]): SampleCall["returns"] {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 300);
  const mediaTypes = successes.flatMap(([, { content = {} }]) => Object.keys(content));
  if (mediaTypes.length === 0) return "nothing";
  return mediaTypes.some((mediaType) => mediaType.endsWith("json")) ? "json" : "text";
}

/** Parameters that a call needs or that have an example, in a place of the address. */
function needed(
  { parameters }: Pick<SampleCall, "parameters">,
  place: "path" | "query",
): readonly (readonly [string, unknown])[] {
  return parameters
    .filter(({ in: where, required, schema }) => where === place && (required === true || Object(schema).examples))
    .map(({ name, example, schema }) => [name, example ?? exampleOf(schema)]);
}

function exampleOf(schema: Parameter["schema"]): unknown {
  if (typeof schema !== "object") return "...";
  const [first] = [schema.examples, schema.enum].flatMap((values) => (Array.isArray(values) ? values : []));
  if (first !== undefined) return first;
  if (schema.type === "integer") return schema.minimum ?? 1;
  if (schema.format === "date") return "2026-01-05";
  return schema.format === "conversion-value" ? "5" : "...";
}

/** The path of an operation with the examples of its parameters. */
export function examplePath(template: string, parameters: readonly Parameter[]): string {
  const values = new Map(needed({ parameters }, "path"));
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
}

/** @param token as the language of the sample reads it */
function addressOf(call: SampleCall, token: string): string {
  const path = examplePath(call.template, call.parameters);
  const query = needed(call, "query").map(([name, value]) =>
    value === tokenExample ? `${name}=${token}` : `${name}=${encodeURIComponent(String(value))}`,
  );
  return `${call.server}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

function curl(call: SampleCall): string {
  const address = addressOf(call, tokenExample);
  // Shells replace variables between double quotes alone.
  const quote = address.includes(tokenExample) ? '"' : "'";
  const lines = [`curl -X ${call.method} ${quote}${address}${quote}`];
  if (call.takesToken) lines.push(`-H "Authorization: Bearer ${tokenExample}"`);
  if (call.idempotent) lines.push(`-H "Idempotency-Key: $(node -p 'crypto.randomUUID()')"`);
  if (call.isForm) lines.push(...filesOf(call).map(({ field, file }) => `-F '${field}=@${file}'`));
  else if (call.body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(call.body).replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(" \\\n  ");
}

/** The files of a form: the file of an upload, or those of a bundle by their names. */
function filesOf({ body }: SampleCall): readonly { readonly field: string; readonly file: string }[] {
  return Object.keys(Object(body)).map((field) => ({ field, file: field === "file" ? "file.csv" : field }));
}

function typeScript(call: SampleCall): string {
  const params = (["path", "query"] as const)
    .map((place) => [place, Object.fromEntries(needed(call, place))] as const)
    .filter(([, values]) => Object.keys(values).length > 0);
  const options: { [name: string]: unknown } = {};
  if (params.length > 0) options.params = Object.fromEntries(params);
  if (call.isForm) options.body = "form";
  else if (call.body !== undefined) options.body = call.body;
  if (call.returns === "text") options.parseAs = "text";
  const token = 'process.env.TOUCHLEDGER_TOKEN ?? ""';
  const literal = JSON.stringify(options, null, 2).replaceAll(JSON.stringify(tokenExample), token);
  const written = Object.keys(options).length === 0 ? "" : `, ${literal}`;
  const withFiles = call.isForm ? written.replace('"body": "form"', '"body": form as never') : written;
  return [
    ...(call.isForm ? ['import { openAsBlob } from "node:fs";'] : []),
    'import { createClient } from "@touchledger/client";',
    "",
    `const client = createClient({ baseUrl: "${call.server}", token: ${token} });`,
    ...(call.isForm ? ["const form = new FormData();", ...filesOf(call).map(appendFile)] : []),
    `const { data, error } = await client.${call.method}("${call.template}"${withFiles});`,
  ].join("\n");
}

function appendFile({ field, file }: { readonly field: string; readonly file: string }): string {
  return `form.append("${field}", await openAsBlob("${file}"), "${file}");`;
}

function python(call: SampleCall): string {
  const headers = call.takesToken ? [`"Authorization": "Bearer " + os.environ["TOUCHLEDGER_TOKEN"]`] : [];
  if (call.idempotent) headers.push(`"Idempotency-Key": str(uuid.uuid4())`);
  const body = call.isForm
    ? `,\n    files={${filesOf(call)
        .map(({ field, file }) => `"${field}": open("${file}", "rb")`)
        .join(", ")}}`
    : call.body === undefined
      ? ""
      : `,\n    json=${pythonLiteral(call.body)}`;
  const token = "{os.environ['TOUCHLEDGER_TOKEN']}";
  const address = addressOf(call, token);
  const prefix = address.includes(token) ? "f" : "";
  return [
    `import os${call.idempotent ? ", uuid" : ""}, requests`,
    "",
    `response = requests.request(\n    "${call.method}",\n    ${prefix}"${address}",`,
    `    headers={${headers.join(", ")}}${body},\n)`,
    { nothing: "response.raise_for_status()", json: "print(response.json())", text: "print(response.text)" }[
      call.returns
    ],
  ].join("\n");
}

function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`)
    .join(", ")}}`;
}
