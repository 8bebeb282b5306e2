/** The items by key; keys and items in the order of `items`. */
export function itemsByKey<Key, Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The first item of each key, in their order. */
export function firstOfEach<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): readonly Item[] {
  const firsts = new Map<unknown, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!firsts.has(key)) firsts.set(key, item);
  }
  return [...firsts.values()];
}

/** The last item of each key, in the order in which the keys came first. */
export function lastOfEach<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
