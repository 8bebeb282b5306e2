import type { RecordedEvent, StoredEvent } from "../../../domain/event-catalogue.ts";
import type { Projection } from "../../../projections/projection.ts";

/**
 * Money put into an account, which is a stream. An amount of more than 1,000 cannot be stored. The engine needs no
 * catalogue: the ledger's types of events are in none.
 */
export function payment(amount: number): StoredEvent {
  return { type: "Paid", data: { amount } } as unknown as StoredEvent;
}

export const opened = { type: "Opened", data: {} } as unknown as StoredEvent;

export const tooMuch = 1_001;

/** Every payment, parked one by one. */
export const payments: Projection = {
  name: "payments",
  version: 1,
  group: "facts",
  handles: ["Paid"],
  parkBy: "fact",
  tables: { payments: ["event_id"] },
  createTables: async (trx, schema) => {
    await trx.raw(`create table ${schema}.payments (
      event_id uuid primary key,
      account text not null,
      amount integer not null check (amount <= 1000),
      position bigint not null
    )`);
  },
  createQueryIndexes: async (trx, schema) => {
    await trx.raw(`create index on ${schema}.payments (account)`);
  },
  apply: async (trx, schema, batch) => {
    await trx.raw(
      `insert into ${schema}.payments (event_id, account, amount, position)
       select * from unnest(?::uuid[], ?::text[], ?::integer[], ?::bigint[])
       on conflict (event_id) do nothing`,
      [
        batch.map(({ id }) => id),
        batch.map(({ stream }) => stream),
        batch.map(amountOf),
        batch.map(({ position }) => String(position.commit)),
      ],
    );
  },
};

/** The balance of every account, parked by stream. */
export const balances: Projection = {
  name: "balances",
  version: 1,
  group: "facts",
  handles: ["Paid"],
  parkBy: "stream",
  tables: { balances: ["account"] },
  createTables: async (trx, schema) => {
    await trx.raw(`create table ${schema}.balances (
      account text primary key,
      balance integer not null,
      largest integer not null check (largest <= 1000),
      position bigint not null
    )`);
  },
  apply: async (trx, schema, batch) => {
    await trx.raw(
      `insert into ${schema}.balances as balances (account, balance, largest, position)
       select account, sum(amount), max(amount), max(position)
         from unnest(?::text[], ?::integer[], ?::bigint[]) as paid (account, amount, position)
        where position > coalesce((select position from ${schema}.balances known where known.account = paid.account), -1)
        group by account
       on conflict (account) do update
         set balance = balances.balance + excluded.balance,
             largest = greatest(balances.largest, excluded.largest),
             position = excluded.position`,
      [batch.map(({ stream }) => stream), batch.map(amountOf), batch.map(({ position }) => String(position.commit))],
    );
  },
};

/** Every account, in the other group. */
export const accounts: Projection = {
  name: "accounts",
  version: 1,
  group: "control",
  handles: ["Opened"],
  parkBy: "stream",
  tables: { accounts: ["account"] },
  createTables: async (trx, schema) => {
    await trx.raw(`create table ${schema}.accounts (account text primary key)`);
  },
  apply: async (trx, schema, batch) => {
    await trx.raw(`insert into ${schema}.accounts select distinct unnest(?::text[]) on conflict do nothing`, [
      batch.map(({ stream }) => stream),
    ]);
  },
};

export const ledger = [payments, balances, accounts] as const;

/** Payments into accounts 1 to 3, one after the other; every `poisonEvery`-th is too much. */
export function paid(
  count: number,
  poisonEvery = Number.POSITIVE_INFINITY,
): readonly { stream: string; event: StoredEvent }[] {
  return Array.from({ length: count }, (_, index) => ({
    stream: `account-${1 + (index % 3)}`,
    event: payment((index + 1) % poisonEvery === 0 ? tooMuch : 1 + (index % 7)),
  }));
}

function amountOf({ data }: RecordedEvent): number {
  return (data as unknown as { readonly amount: number }).amount;
}
