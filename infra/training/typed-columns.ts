import { createHash } from "node:crypto";

type Numbers = Float64Array | Uint32Array | Uint8Array;

/** A growing typed array of numbers: an object for each row would need ten times the memory. */
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

/** Numbers texts consecutively, from 1 on. */
export interface Numbering {
  /** The number of a text; a new text gets the next one. */
  numberOf(text: string): number;
  /** How many texts have a number. */
  size(): number;
}

/** Numbers ids in 24 to 32 bytes each: the heap could not hold millions of texts. */
export interface IdNumbers extends Numbering {
  /** The number of an id; 0 when it is unknown. */
  find(id: string): number;
  /** A hash of 32 bits of the id with this number and the seed. */
  mixed(number: number, seed: number): number;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const wordsPerKey = 4;
const firstSlots = 4_096;

/** An empty numbering of a few texts that repeat often. */
export function wordNumbers(): Numbering {
  const numbers = new Map<string, number>();
  return {
    numberOf: (text) => {
      const number = numbers.get(text) ?? numbers.size + 1;
      numbers.set(text, number);
      return number;
    },
    size: () => numbers.size,
  };
}

/** An empty numbering of ids. The key of a lower-case UUID is its bits, of any other text 128 bits of its SHA-256. */
export function idNumbers(): IdNumbers {
  const keys = column(words);
  const key = new Uint32Array(wordsPerKey);
  let slots = new Uint32Array(firstSlots);
  let size = 0;

  const word = (number: number, index: number): number => keys.get((number - 1) * wordsPerKey + index);
  const isKeyOf = (number: number): boolean => key.every((value, index) => value === word(number, index));
  const slotOf = (one: number, other: number): number => (mix(one) ^ other) & (slots.length - 1);

  /** The slot that holds the key's number, or the free one where it belongs. */
  const findSlot = (): number => {
    let slot = slotOf(key[0] ?? 0, key[3] ?? 0);
    for (let number = slots[slot] ?? 0; number !== 0 && !isKeyOf(number); number = slots[slot] ?? 0) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  };

  const double = (): void => {
    slots = new Uint32Array(slots.length * 2);
    for (let number = 1; number <= size; number += 1) {
      let slot = slotOf(word(number, 0), word(number, 3));
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = number;
    }
  };

  return {
    numberOf: (id) => {
      writeKey(id, key);
      const slot = findSlot();
      const known = slots[slot] ?? 0;
      if (known !== 0) return known;
      size += 1;
      for (const value of key) keys.push(value);
      slots[slot] = size;
      if (size * 2 > slots.length) double();
      return size;
    },
    find: (id) => {
      writeKey(id, key);
      return slots[findSlot()] ?? 0;
    },
    size: () => size,
    mixed: (number, seed) => {
      let bits = mix(seed + 0x9e3779b9);
      for (let index = 0; index < wordsPerKey; index += 1) bits = mix(bits ^ word(number, index));
      return bits;
    },
  };
}

function writeKey(id: string, key: Uint32Array): void {
  if (uuid.test(id)) {
    key[0] = Number.parseInt(id.slice(0, 8), 16);
    key[1] = Number.parseInt(id.slice(9, 13) + id.slice(14, 18), 16);
    key[2] = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16);
    key[3] = Number.parseInt(id.slice(28), 16);
    return;
  }
  const digest = createHash("sha256").update(id).digest();
  for (let index = 0; index < wordsPerKey; index += 1) key[index] = digest.readUInt32BE(index * 4);
}

/** The finalizer of MurmurHash3: every bit of the input moves half of the bits of the result. */
function mix(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
