import { auditedTypes } from "../../domain/audit/audited-events.ts";
import { appRoute, type Route } from "../../infra/http/routing/route.ts";
import type { TokenRow } from "../../projections/apps/queries.ts";
import type { AuditQuery, AuditRow } from "../../projections/audit/queries.ts";
import type { SizedPosition } from "../../projections/list-page.ts";
import { actorResponse, labelsOf } from "../actor-response.ts";
import { defaultSize, listParameters } from "../listing.ts";
import { streamedList } from "../streamed-list.ts";
import { auditDocs } from "./docs.ts";

export interface AuditReadDeps {
  listAudit(query: AuditQuery): Promise<readonly SizedPosition[]>;
  auditAt(positions: readonly bigint[]): Promise<readonly AuditRow[]>;
  tokensOf(appId: number): Promise<readonly TokenRow[]>;
}

const text = { type: "string", minLength: 1, maxLength: 256 } as const;

const auditQuery = {
  type: "object",
  properties: {
    after: { type: "string", format: "position" },
    actor: text,
    type: { type: "string", enum: auditedTypes },
    subject: text,
    size: listParameters.size,
  },
} as const;

/** The audit trail of an app (contract/administration.md#audit-trail). */
export function auditRoutes({ listAudit, auditAt, tokensOf }: AuditReadDeps): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/admin/v1/apps/:app_name/audit",
      docs: auditDocs,
      operation: "administer_app",
      query: auditQuery,
      reads: "control",
      handle: async ({ app: { appId }, query }) => {
        const { after = "0", actor = null, type = null, subject = null, size = defaultSize } = query;
        const found = await listAudit({ appId, after: BigInt(after), actor, type, subject, max: size + 1 });
        const rows = found.slice(0, size);
        const labels = labelsOf(await tokensOf(appId));
        const itemsAt = async (positions: readonly bigint[]) =>
          (await auditAt(positions)).map(({ position, at, actor: by, appId: _app, ...row }) => ({
            ...row,
            position: position.toString(),
            time: at.toISOString(),
            actor: actorResponse(by, labels),
          }));
        const pagination = { hasNext: found.length > size, after: rows.at(-1)?.position.toString() ?? after };
        return streamedList({
          head: '{"data":[',
          rows,
          itemsAt,
          tail: `],"pagination":${JSON.stringify(pagination)}}`,
        });
      },
    }),
  ];
}
