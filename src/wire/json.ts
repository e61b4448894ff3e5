/** A JSON object as it came in; nothing in it is trusted yet. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Nothing where there is no object. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})
