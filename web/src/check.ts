// Checks of JSON that others wrote: what does not hold throws with its place and what it must be.

export class ProtocolError extends Error {}

export type Check<T> = (value: unknown, place: string) => T;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

export function fail(place: string, value: unknown, must: string): never {
  throw new ProtocolError(`${place} is ${shown(value)}; it must be ${must}`);
}

export const number: Check<number> = (value, place) =>
  typeof value === 'number' && Number.isFinite(value) ? value : fail(place, value, 'a number');

export const integer: Check<number> = (value, place) =>
  Number.isSafeInteger(value) ? (value as number) : fail(place, value, 'a whole number');

export const text: Check<string> = (value, place) =>
  typeof value === 'string' ? value : fail(place, value, 'a text');

export const boolean: Check<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : fail(place, value, 'true or false');

export const oneOf =
  <T extends string>(...words: T[]): Check<T> =>
  (value, place) =>
    words.includes(value as T) ? (value as T) : fail(place, value, `one of ${words.join(', ')}`);

export const list =
  <T>(of: Check<T>, size?: number): Check<T[]> =>
  (value, place) => {
    if (!Array.isArray(value)) fail(place, value, 'a list');
    if (size !== undefined && value.length !== size) fail(place, value, `a list of ${size}`);
    return value.map((item, i) => of(item, `${place}[${i}]`));
  };

export const map =
  <T>(of: Check<T>): Check<Record<string, T>> =>
  (value, place) => {
    const from = record(value, place);
    return Object.fromEntries(
      Object.entries(from).map(([key, item]) => [key, of(item, `${place}.${key}`)]),
    );
  };

export const orNull =
  <T>(of: Check<T>): Check<T | null> =>
  (value, place) =>
    value === null ? null : of(value, place);

/// A key that may be left out.
export const optional =
  <T, D>(of: Check<T>, otherwise: D): Check<T | D> =>
  (value, place) =>
    value === undefined ? otherwise : of(value, place);

export const object =
  <T extends object>(keys: { [K in keyof T]: Check<T[K]> }): Check<T> =>
  (value, place) => {
    const from = record(value, place);
    const made = {} as T;
    // keys that this page does not know are the newer server's: they are left alone
    for (const key of Object.keys(keys) as (keyof T & string)[])
      made[key] = keys[key](from[key], `${place}.${key}`);
    return made;
  };

function record(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail(place, value, 'an object');
  return value as Record<string, unknown>;
}
