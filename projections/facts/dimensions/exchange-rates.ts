import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { ExchangeRatesSet } from "../../../domain/exchange-rates/events.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { inForce } from "../table.ts";

interface RateRow {
  readonly date: string;
  readonly base: string;
  readonly currency: string;
  readonly rate: string;
  readonly position: bigint;
}

const rateColumns: Columns<RateRow> = {
  date: { type: "date", of: ({ date }) => date },
  base: { type: "text", of: ({ base }) => base },
  currency: { type: "text", of: ({ currency }) => currency },
  rate: { type: "numeric", of: ({ rate }) => rate },
  from_position: { type: "bigint", of: ({ position }) => position },
};

/**
 * Puts rates in force from the positions of their events on, in place of all that their dates had
 * (contract/money.md#conversion).
 */
export async function storeRates(
  pipeline: StatementPipeline,
  events: readonly RecordedEvent<ExchangeRatesSet>[],
): Promise<void> {
  if (events.length === 0) return;
  await Promise.all([insertRates(pipeline, events.flatMap(rowsOf)), endReplacedRates(pipeline, events)]);
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

async function insertRates({ schema, run }: StatementPipeline, rows: readonly RateRow[]): Promise<void> {
  const { text, names, values } = unnest(rows, rateColumns, "rate");
  await run(
    `insert into ${schema}.exchange_rates (${names}) select ${names} from ${text} on conflict do nothing`,
    values,
  );
}

const setColumns: Columns<RecordedEvent<ExchangeRatesSet>> = {
  date: { type: "date", of: ({ data }) => data.date },
  position: { type: "bigint", of: ({ position }) => position.commit },
};

/** As with uploads of one batch: each set of rates ends what the one before it has put in force. */
async function endReplacedRates(
  { schema, run }: StatementPipeline,
  events: readonly RecordedEvent<ExchangeRatesSet>[],
): Promise<void> {
  const { text, values } = unnest(events, setColumns, "rates_set");
  await run(
    `update ${schema}.exchange_rates as stored
     set to_position = replacing.position
     from (
       select date, position, lag(position, 1, 0::bigint) over (partition by date order by position) as since
       from ${text}
     ) as replacing
     where stored.to_position = ${inForce}
       and stored.date = replacing.date
       and stored.from_position >= replacing.since
       and stored.from_position < replacing.position`,
    values,
  );
}
