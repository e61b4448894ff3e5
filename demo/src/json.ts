export type JsonObject = Readonly<Record<string, unknown>>

/** A fault of a request, as OpenAI's error form wants it. */
export interface Invalid {
  readonly param: string | null
  readonly message: string
}

/** Whether a parser said what is wrong instead of what it read. */
export const isInvalid = (parsed: object): parsed is Invalid => 'message' in parsed

/** Rules of every request: the field, whether it holds, and the message if not. */
export type Rules = readonly (readonly [param: string, holds: boolean, rule: string])[]

/** The first rule that does not hold. */
export function firstBroken(rules: Rules): Invalid | undefined {
  const broken = rules.find(([, holds]) => !holds)
  return broken && { param: broken[0], message: `${broken[0]} ${broken[2]}` }
}

/** Whether a value is a JSON object, so neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a field was left out; clients write null for that too. */
export const absent = (value: unknown): boolean => value === undefined || value === null

/** Whether a value is an integer from 1 to `most`. */
export const isCount = (value: unknown, most = Number.MAX_SAFE_INTEGER): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most

/** The value if it is of that type, else an empty one. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
export const object = (value: unknown): JsonObject => (isObject(value) ? value : {})
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
