import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { ExchangeRatesSet } from "../../../domain/exchange-rates/events.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { supersedeRows } from "../sql/supersede-rows.ts";
import type { Columns } from "../sql/unnest.ts";

interface RateRow {
  readonly date: string;
  readonly base: string;
  readonly currency: string;
  readonly rate: string;
  readonly position: bigint;
}

const columns: Columns<RateRow> = {
  date: { type: "date", of: ({ date }) => date },
  base: { type: "text", of: ({ base }) => base },
  currency: { type: "text", of: ({ currency }) => currency },
  rate: { type: "numeric", of: ({ rate }) => rate },
  from_position: { type: "bigint", of: ({ position }) => position },
};

/** Stores sets of rates, each in place of all earlier rates of its date (contract/money.md#conversion). */
export async function storeRates(
  pipeline: StatementPipeline,
  events: readonly RecordedEvent<ExchangeRatesSet>[],
): Promise<void> {
  await supersedeRows(pipeline, "exchange_rates", "date", events.flatMap(rowsOf), columns);
}

function rowsOf({ data: { date, base, rates }, position }: RecordedEvent<ExchangeRatesSet>): readonly RateRow[] {
  return Object.entries({ ...rates, [base]: "1" }).map(([currency, rate]) => ({
    date,
    base,
    currency,
    rate,
    position: position.commit,
  }));
}
