/** `to_position` of a row that is still in force. */
export const inForce = 9_223_372_036_854_775_807n;

/**
 * SQL that ends rows in force at the `from_position` at which the next rows of their key begin.
 * @param table with its schema
 * @param key the columns of the key
 * @param isChanged SQL of whether a row in force can have a key with new rows
 */
export function endSuperseded(table: string, key: readonly string[], isChanged: string): string {
  const names = key.join(", ");
  return `update ${table} as stored
     set to_position = span.next_position
     from (
       select ${names}, from_position,
         lead(from_position) over (partition by ${names} order by from_position) as next_position
       from (
         select distinct ${names}, from_position
         from ${table}
         where to_position = ${inForce} and ${isChanged}
       ) as positions
     ) as span
     where ${key.map((column) => `stored.${column} = span.${column}`).join(" and ")}
       and stored.from_position = span.from_position
       and stored.to_position = ${inForce}
       and span.next_position is not null`;
}
