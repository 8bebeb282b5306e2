/** A query of the advisory locks with a single key that sessions hold in this database: `pid` and `key`. */
export const advisoryLocks = `
  select pid, classid::bigint << 32 | objid::bigint as key
  from pg_locks
  where locktype = 'advisory'
    and granted
    and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())`;
