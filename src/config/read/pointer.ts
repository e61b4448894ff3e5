import { isRecord } from './tree.ts'

/** What a JSON pointer in a fragment leads to: `#/$defs/unit`. */
export function targetOf(pointer: string, root: unknown): unknown {
  let target = root
  for (const step of pointer.split('/').slice(1)) {
    const name = decoded(step).replace(/~1/g, '/').replace(/~0/g, '~')
    if (Array.isArray(target)) target = target[Number(name)]
    else target = isRecord(target) && Object.hasOwn(target, name) ? target[name] : undefined
  }
  return target
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // URIError: it leads to nothing, encoded or not.
    return text
  }
}

/** Whether a schema refers to itself before it looks into a value: held against one, it would never end. */
export function isEndless(root: unknown): boolean {
  const done = new Set<unknown>()
  return targetsIn(root, root).some(target => returns(target, root, new Set(), done))
}

/** Whether one of the schemas that hold for the same value is one of those above. */
function returns(schema: unknown, root: unknown, above: Set<unknown>, done: Set<unknown>): boolean {
  if (!isRecord(schema) || done.has(schema)) return false
  if (above.has(schema)) return true
  above.add(schema)
  const found = besides(schema, root).some(each => returns(each, root, above, done))
  above.delete(schema)
  done.add(schema)
  return found
}

/** The schemas that hold for the same value as another one. */
function besides(schema: Readonly<Record<string, unknown>>, root: unknown): readonly unknown[] {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, dependentSchemas } = schema
  const target = typeof $ref === 'string' ? targetOf($ref, root) : undefined
  const byName = isRecord(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [target, allOf, anyOf, oneOf, not, condition, then, otherwise, byName].flat()
}

/** What the references within some data lead to. */
function targetsIn(data: unknown, root: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data.flatMap(each => targetsIn(each, root))
  if (!isRecord(data)) return []
  const own = typeof data.$ref === 'string' ? [targetOf(data.$ref, root)] : []
  return [...own, ...Object.values(data).flatMap(each => targetsIn(each, root))]
}
