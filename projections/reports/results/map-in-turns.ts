import { setImmediate as nextTurn } from "node:timers/promises";

const maxSliceMs = 20;

/** Maps the groups of a report one by one; every 20 ms it yields to other work of the process, such as redirects. */
export async function mapInTurns<Group, Row>(groups: Iterable<Group>, rowOf: (group: Group) => Row): Promise<Row[]> {
  const rows: Row[] = [];
  let sliceBegan = performance.now();
  for (const group of groups) {
    rows.push(rowOf(group));
    if (performance.now() - sliceBegan < maxSliceMs) continue;
    await nextTurn();
    sliceBegan = performance.now();
  }
  return rows;
}
