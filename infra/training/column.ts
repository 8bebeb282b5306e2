type Numbers = Float64Array | Uint32Array | Uint8Array;

/** Numbers in a typed array that grows: what an object for each row would need ten times the memory for. */
export interface Column<Values extends Numbers> {
  length(): number;
  /** 0 where nothing was set. */
  get(index: number): number;
  set(index: number, value: number): void;
  push(value: number): void;
  /** The numbers up to the length; valid until the next `set` or `push`. */
  values(): Values;
}

const firstCapacity = 1_024;

/** An empty column; `allocate` makes an array of zeros. */
export function column<Values extends Numbers>(allocate: (length: number) => Values): Column<Values> {
  let values = allocate(firstCapacity);
  let length = 0;
  const set = (index: number, value: number): void => {
    if (index >= values.length) {
      const larger = allocate(Math.max(index + 1, values.length * 2));
      larger.set(values);
      values = larger;
    }
    values[index] = value;
    if (index >= length) length = index + 1;
  };
  return {
    length: () => length,
    get: (index) => values[index] ?? 0,
    set,
    push: (value) => set(length, value),
    values: () => values.subarray(0, length) as Values,
  };
}

export const doubles = (length: number): Float64Array => new Float64Array(length);
export const words = (length: number): Uint32Array => new Uint32Array(length);
export const bytes = (length: number): Uint8Array => new Uint8Array(length);
