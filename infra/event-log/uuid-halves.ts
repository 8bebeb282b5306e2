/** The text of a UUID that is sent as two integers of 64 bits, with or without sign. */
export function uuidOfHalves(mostSignificant: bigint, leastSignificant: bigint): string {
  const hex = [mostSignificant, leastSignificant]
    .map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, "0"))
    .join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
