/**
 * Faults of input as data. A refusal has one of three names:
 *
 * - A *fault* is one thing wrong with input, at a path: {@link Fault}.
 * - A *rejection* is a decider's refusal of a command: `Rejection` in `domain/decider.ts`.
 * - A *problem* is the HTTP error body: `Problem` in `infra/http/response/problem.ts`. It carries faults as `errors`.
 *
 * An exception is a *failure*: a bug or a broken machine.
 *
 * To report a fault, return `fault("out_of_range.after_to", ["from"])` and add a message under that code to each
 * catalogue in `infra/http/i18n/messages`. Texts are made from the catalogues where a response is written; events store
 * faults, never texts.
 */

/** A text to be made in any language: the code of a message in the catalogues, and the values of its placeholders. */
export interface Message<Code extends string = string> {
  readonly code: Code;
  readonly params?: MessageParams;
}

/** Lists are joined by commas; a message inside another one is formatted first. */
export type MessageParams = { readonly [name: string]: string | number | readonly (string | number)[] | Message };

/** Maximum faults that one refusal names, the first ones. */
export const maxFaults = 50;

/** Keys and indexes from the outside in; empty for the input as a whole. */
export type Path = readonly (string | number)[];

/**
 * One thing that is wrong with input. The part of `code` before its first dot is public (`type` of an error, `code` of a
 * rejected item); what follows the dot only selects the message.
 */
export interface Fault<Code extends string = string> extends Message<Code> {
  readonly path: Path;
}

/**
 * A fault of the value at `path`.
 * @param params values of the placeholders of the message
 */
export function fault<Code extends string>(code: Code, path: Path, params?: MessageParams): Fault<Code> {
  return params === undefined ? { code, path } : { code, path, params };
}

/** The faults of a value that is at `path`, with complete paths. */
export function faultsAt(path: Path, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((one) => ({ ...one, path: [...path, ...one.path] }));
}

/** The part of a code that callers see. */
export function publicCode(code: string): string {
  return code.split(".", 1)[0] ?? code;
}
