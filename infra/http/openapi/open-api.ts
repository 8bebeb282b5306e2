import type { JSONSchema } from "json-schema-to-ts";

// The parts of OpenAPI 3.1 that the document uses.

/** The call of an operation in a language. */
export interface CodeSample {
  readonly lang: "curl" | "TypeScript" | "Python";
  readonly source: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JSONSchema;
  readonly example?: unknown;
}

export interface MediaType {
  readonly schema?: JSONSchema;
  readonly example?: unknown;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: { readonly [name: string]: object };
  readonly content?: { readonly [mediaType: string]: MediaType };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: { readonly [mediaType: string]: MediaType } };
  readonly responses: { readonly [status: string]: OpenApiResponse };
  /** Who may call: roles of `api` tokens, kinds of other tokens, the operator. */
  readonly "x-permissions": readonly string[];
  readonly "x-rate-limit": string;
  readonly "x-codeSamples": readonly CodeSample[];
}

export type PathItem = { readonly [method: string]: OpenApiOperation };

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly paths: { readonly [path: string]: PathItem };
  readonly [member: string]: unknown;
}
