import type { Metric } from "../../domain/reporting/catalogue.ts";
import type { SchemaName } from "../projection.ts";
import { metricsOf, type Statement } from "./actuals-statement.ts";
import { bindings } from "./bindings.ts";
import { type ActualsAt, factsOf } from "./facts-of.ts";
import { hasNoRate } from "./metric-measures.ts";

/** The amounts that a report leaves out for want of an exchange rate (D12): `currency`, and `dates text[]` in order. */
export function missingRatesStatement(schema: SchemaName, report: ActualsAt): Statement {
  const { bind, values } = bindings();
  const amounts = metricsOf(report.query).filter((metric): metric is Metric => metric.kind === "money");
  const text = `
    select fact.currency, array_agg(distinct to_char(fact.local_date, 'YYYY-MM-DD')) as dates
    ${factsOf("appEvents", schema, report, amounts, [], bind)} and ${hasNoRate(report.currency, bind)}
    group by fact.currency
    order by fact.currency collate "C"`;
  return { text, values };
}
