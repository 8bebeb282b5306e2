import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { partsOf } from "../../../domain/reporting/catalogue/metric.ts";
import type { DailyRates } from "../../../domain/reporting/currency-conversion.ts";
import type { WithheldRange } from "../../../domain/reporting/masking.ts";
import type { SchemaName } from "../../projection.ts";
import { type AmountKind, amountColumns, amountOf, rateTable } from "../query/amounts.ts";
import { bindings } from "../query/bindings.ts";
import { countsAmounts, factsOf, hasWithheld } from "../query/from-clause.ts";
import { isLeft, withheldTable } from "../query/masking-sql.ts";
import type { ActualsAt } from "../query/query-context.ts";
import type { Statement } from "./statement.ts";

const amountKinds = Object.keys(amountColumns) as readonly AmountKind[];

/**
 * The amounts that a report leaves out for want of an exchange rate alone (contract/money.md#conversion): `currency`,
 * and `dates text[]` in order. Null when it counts no amounts.
 */
export function missingRatesStatement(
  schema: SchemaName,
  report: ActualsAt,
  rates: DailyRates,
  withheld: readonly WithheldRange[],
): Statement | null {
  const { bind, values } = bindings();
  const reading = { schema, report, rates, withheld, bind };
  const metrics = report.query.metrics.map(requestedMetric).flatMap(partsOf);
  const parts = amountKinds.flatMap((kind) => {
    const counting = metrics.filter((metric) => countsAmounts(metric, kind));
    if (counting.length === 0) return [];
    const alone = hasWithheld(kind, reading) ? `and ${isLeft}` : "";
    return `select distinct fact.currency, fact.local_date
      ${factsOf(kind, reading, counting, [])} and ${amountOf(kind, reading).isLost} ${alone}`;
  });
  if (parts.length === 0) return null;
  const tables = withheld.length === 0 ? [] : [withheldTable(withheld, schema, report.appId, bind)];
  const text = `
    with ${[rateTable(rates, bind), ...tables].join(", ")}
    select currency, array_agg(distinct to_char(local_date, 'YYYY-MM-DD')) as dates
    from (${parts.join(" union all ")}) as lost
    group by currency
    order by currency collate "C"`;
  return { text, values };
}
