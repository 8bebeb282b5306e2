import {
  boolean,
  instant,
  listOf,
  mapOf,
  nullable,
  object,
  position,
  text,
} from "../../infra/http/openapi/route-docs.ts";
import { actor } from "../../infra/http/openapi/shared-schemas.ts";

export const auditDocs = {
  summary: "Get the audit trail of an app",
  description:
    "Returns every change of the app and of settings that all apps share, and every read of personal data, oldest " +
    "first.",
  contract: "contract/administration.md#audit-trail",
  responses: {
    200: {
      schema: object({
        data: listOf(
          object({
            position,
            time: instant,
            type: text,
            subject: nullable(object({ kind: text, id: text })),
            requestId: text,
            actor,
            data: mapOf({}),
          }),
        ),
        pagination: object({ hasNext: boolean, after: position }),
      }),
      example: {
        data: [
          {
            position: "12345",
            time: "2026-01-05T00:00:00.000Z",
            type: "RoutingChanged",
            subject: { kind: "tracking_link", id: "1234567890" },
            requestId: "018f4f3a-6f2b-7c1d-8a52-0c9f5f2f9a10",
            actor: { kind: "token", tokenId: "0f".repeat(16), role: "owner", label: "site" },
            data: { deeplinkUrl: "shop://sale" },
          },
        ],
        pagination: { hasNext: false, after: "12345" },
      },
    },
  },
};
