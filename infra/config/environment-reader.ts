import { nearestSpelling } from "../../domain/values/nearest-name.ts";
import { publicAddress } from "./public-urls.ts";
import { faultOfSecret } from "./secret.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables of an environment. What is wrong with one is a sentence in `faults`, and the default is returned. */
export interface EnvironmentReader {
  readonly faults: readonly string[];
  fault(sentence: string): null;
  /** Trimmed; null when it is not set or empty. */
  text(name: string): string | null;
  /** A token of 32 to 1,000 characters; null when it is not set and may be absent. */
  secret(name: string, isRequired: boolean): string | null;
  connection(name: string, schemes: readonly string[]): string | null;
  /** A public address of this instance, normalised. */
  address(name: string): string | null;
  wholeNumber<Default extends number | null>(
    name: string,
    min: number,
    max: number,
    otherwise: Default,
  ): number | Default;
  oneOf<Choice extends string>(name: string, choices: readonly Choice[], otherwise: Choice): Choice;
  /** The variables that are probably misspelt: not read so far, but close to one that was read and is not set. */
  misspelt(): readonly Misspelt[];
}

export interface Misspelt {
  readonly variable: string;
  readonly meant: string;
}

export function environmentReader(env: Environment): EnvironmentReader {
  const faults: string[] = [];
  const read = new Set<string>();
  const valueIn = (name: string): string | null => env[name]?.trim() || null;
  const text = (name: string): string | null => {
    read.add(name);
    return valueIn(name);
  };
  const fault = (sentence: string): null => {
    faults.push(sentence);
    return null;
  };
  return {
    faults,
    fault,
    text,
    secret: (name, isRequired) => {
      const secret = text(name);
      if (secret === null) return isRequired ? fault(`${name} is required when NODE_ENV is production.`) : null;
      const found = faultOfSecret(secret);
      return found === null ? secret : fault(`${name} ${found}`);
    },
    connection: (name, schemes) => {
      const connection = text(name);
      if (connection === null || isConnectionString(connection, schemes)) return connection;
      return fault(
        `${name} must be an address that starts with ${schemes.map((known) => `${known}://`).join(" or ")} and has a host.`,
      );
    },
    address: (name) => {
      const address = text(name);
      if (address === null) return null;
      const read = publicAddress(address);
      return "fault" in read ? fault(`${name} ${read.fault}.`) : read.address;
    },
    wholeNumber: (name, min, max, otherwise) => {
      const digits = text(name);
      if (digits === null) return otherwise;
      const number = /^\d{1,10}$/.test(digits) ? Number(digits) : Number.NaN;
      if (number >= min && number <= max) return number;
      fault(`${name} must be a whole number from ${min} to ${max}; it is "${digits}".`);
      return otherwise;
    },
    oneOf: (name, choices, otherwise) => {
      const chosen = text(name);
      if (chosen === null) return otherwise;
      const choice = choices.find((known) => known === chosen);
      if (choice === undefined) fault(`${name} must be one of ${choices.join(", ")}; it is "${chosen}".`);
      return choice ?? otherwise;
    },
    misspelt: () => {
      const absent = [...read].filter((name) => valueIn(name) === null);
      return Object.keys(env).flatMap((variable) => {
        const meant = read.has(variable) || valueIn(variable) === null ? null : nearestSpelling(variable, absent);
        // In both directions, as `DB_PORT` is close to `PORT`, but `PORT` is not to `DB_PORT`.
        return meant === null || nearestSpelling(meant, [variable]) === null ? [] : [{ variable, meant }];
      });
    },
  };
}

/** Whether a text has one of the schemes. It may list several hosts, so the URL class cannot parse it. */
export function isConnectionString(text: string, schemes: readonly string[]): boolean {
  return schemes.some((known) => text.startsWith(`${known}://`) && text.length > known.length + 3);
}
