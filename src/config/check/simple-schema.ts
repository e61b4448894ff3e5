import { isRecord } from '../model/tree.ts'

/** Keywords that compile with any value that the meta-schema accepts: no reference, no pattern, no branch. */
const SIMPLE = new Set([
  ...['type', 'title', 'description', 'default', 'enum', 'const', 'format'],
  ...['properties', 'required', 'additionalProperties', 'items'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
])

/** ajv nests the code of each schema within that of the one before, and engines parse nested code recursively. */
const MOST_SCHEMAS = 100

/** Whether ajv certainly compiles a schema that the meta-schema accepts, so that a start need not load ajv to find out. */
export function isSimple(root: unknown): boolean {
  const schemas = [root]
  // The list grows while it is walked.
  for (const schema of schemas) {
    if (!isRecord(schema)) continue
    if (!Object.keys(schema).every(keyword => SIMPLE.has(keyword))) return false
    const { properties, items, additionalProperties } = schema
    const within = [...(isRecord(properties) ? Object.values(properties) : []), items, additionalProperties]
    schemas.push(...within.filter(isRecord))
    if (schemas.length > MOST_SCHEMAS) return false
  }
  return true
}
