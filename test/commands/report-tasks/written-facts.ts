import type { Knex } from "knex";
import { shop } from "../../examples/app.ts";
import { type Facts, writeFacts } from "../../projections/reports/facts.ts";

/** The facts of reports as a test wants them. */
export interface WrittenFacts {
  writeFacts(facts: Facts): Promise<void>;
  /** Decides whether the app has a target event at a position that awaits its decision. */
  openTarget(position: bigint | null): Promise<void>;
  /** Makes every statement of a report wait until what it answers is called. */
  lockFacts(): Promise<() => Promise<void>>;
  /** Statements of reports that wait for the lock. */
  waitingStatements(): Promise<number>;
  /** Hides an uploaded metric from new reports (contract/administration.md#archived-metrics). */
  archiveMetric(category: string): Promise<void>;
}

export function writtenFacts(db: Knex, facts: string): WrittenFacts {
  return {
    writeFacts: (written) => writeFacts(db, facts, written),
    openTarget: async (position) => {
      await db.raw(`delete from ${facts}.open_targets`);
      if (position === null) return;
      await db.raw(
        `insert into ${facts}.open_targets (app_id, event_id, position)
         values (?, gen_random_uuid(), ?)`,
        [shop.appId, position.toString()],
      );
    },
    lockFacts: async () => {
      const locked = await db.transaction();
      await locked.raw(`lock table ${facts}.touchpoints, ${facts}.app_events in access exclusive mode`);
      return async () => void (await locked.rollback());
    },
    waitingStatements: async () => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length;
    },
    archiveMetric: async (category) => {
      await db.raw(`update ${facts}.uploaded_categories set archived = true where event_category = ?`, [category]);
    },
  };
}
