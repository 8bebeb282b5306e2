import {
  boolean,
  data,
  instant,
  integer,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  position,
  text,
  uuid,
} from "../../infra/http/openapi/route-docs.ts";
import { conversionModel, conversionModelExample, namedEvent } from "../../infra/http/openapi/shared-schemas.ts";
import { problems as commonProblems } from "../../infra/http/response/problem.ts";

const by = object(
  { kind: text, requestId: uuid },
  { tokenId: text, role: nullable(text), label: nullable(text), name: text },
);
const since = object({ position, recordedAt: instant });
const published = { version: integer, since, publishedBy: by };
const partner = object({ channel: text, events: mapOf(text), since, mappedBy: by });

const problems = [{ status: 404, code: "CONVERSION_MODEL_NOT_FOUND" }];
const feedProblems = [commonProblems.appNotFound, ...problems];

const sinceExample = { position: "12345", recordedAt: "2026-01-05T00:00:00.000Z" };
const byExample = { kind: "operator", requestId: "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10" };
const publishedExample = { version: 1, since: sinceExample, publishedBy: byExample };
const value = { type: ["integer", "string"] } as const;
const signUp = { eventName: "app_sign_up", measurementType: "engagement", values: null };

export const conversionModelDocs = {
  summary: "Get the conversion model of an app",
  description:
    "Returns the current model, or that at `asOf`, with its publisher, its start and the names of the channels.",
  contract: "contract/conversion-values.md#versions",
  problems,
  responses: {
    200: {
      schema: data({
        conversionValues: object({ ...published, ...conversionModel, partners: listOf(partner) }),
        asOfPosition: position,
      }),
      example: {
        data: {
          conversionValues: {
            ...publishedExample,
            ...conversionModelExample,
            partners: [
              {
                channel: "partner",
                events: { app_sign_up: "registration" },
                since: sinceExample,
                mappedBy: byExample,
              },
            ],
          },
          asOfPosition: "12345",
        },
      },
    },
  },
};

export const decodeValueDocs = {
  summary: "Decode a conversion value",
  description:
    "Returns the meaning of a conversion value of a postback, by the current model, or by that `at` a position or " +
    "instant.",
  contract: "contract/conversion-values.md#versions",
  problems,
  responses: {
    200: {
      schema: data({
        decoded: object({
          value,
          postback: integer,
          configType: text,
          ...published,
          meaning: nullable(object({ isOverlapped: nullable(boolean), events: listOf(namedEvent) })),
        }),
        asOfPosition: position,
      }),
      example: {
        data: {
          decoded: {
            value: 5,
            postback: 0,
            configType: "SKAN_4",
            ...publishedExample,
            meaning: { isOverlapped: false, events: [{ ...signUp, partnerEventNames: { partner: "registration" } }] },
          },
          asOfPosition: "12345",
        },
      },
    },
  },
};

const feedEvents = listOf(
  object({
    event_name: text,
    measurement_type: text,
    partner_event_name: nullable(text),
    values: object({ min_amount: nullable(number), max_amount: nullable(number) }),
  }),
);
const lockWindow = object({ type: text, value: { type: ["string", "integer", "number"] } });

export const schemaFeedDocs = {
  summary: "Get the conversion-value schema of an app",
  description:
    "For certified channels that the app has enabled. The response has an `ETag`; a call whose `If-None-Match` " +
    "has it gets 304.",
  contract: "contract/conversion-values.md#feeds",
  problems: feedProblems,
  responses: {
    304: null,
    200: {
      schema: object({
        config_type: text,
        default_currency: text,
        last_update_time: integer,
        postbacks: listOf(
          object({
            postback_sequence_index: integer,
            conversion_schema: object({
              fine: object({
                schema: listOf(object({ conversion_value: text, is_overlapped: boolean, events: feedEvents })),
                lock_window: nullable(lockWindow),
              }),
              coarse: object({
                schema: listOf(object({ conversion_value: text, is_overlapped: { type: "null" }, events: feedEvents })),
              }),
            }),
          }),
        ),
      }),
      example: {
        config_type: "SKAN_4",
        default_currency: "KRW",
        last_update_time: 1767571200,
        postbacks: [
          {
            postback_sequence_index: 0,
            conversion_schema: {
              fine: {
                schema: [
                  {
                    conversion_value: "5",
                    is_overlapped: false,
                    events: [
                      {
                        event_name: "app_sign_up",
                        measurement_type: "engagement",
                        partner_event_name: "registration",
                        values: { min_amount: null, max_amount: null },
                      },
                    ],
                  },
                ],
                lock_window: null,
              },
              coarse: { schema: [] },
            },
          },
        ],
      },
    },
  },
};

export const bitConfigFeedDocs = {
  summary: "Get the conversion bits of an app (older format)",
  description: "Returns the fine values of the first postback. Deprecated: use the conversion-value schema.",
  contract: "contract/conversion-values.md#feeds",
  problems: feedProblems,
  responses: {
    304: null,
    200: {
      schema: object({
        default_currency: text,
        last_update_time: integer,
        conversion_bits_rules: listOf(
          object({
            conversion_value: integer,
            events: listOf(object({ event_name: text }, { values: object({ amount: number, max_amount: number }) })),
          }),
        ),
      }),
      example: {
        default_currency: "KRW",
        last_update_time: 1767571200,
        conversion_bits_rules: [{ conversion_value: 5, events: [{ event_name: "app_sign_up" }] }],
      },
    },
  },
};
