import { isRecord } from '../model/tree.ts'

/** Whether a `$ref` such as `#/$defs/unit` leads to a schema within the root schema. */
export const leadsToSchema = (pointer: string, root: unknown): boolean => {
  const target = targetOf(pointer, root)
  return isRecord(target) || typeof target === 'boolean'
}

/** The target of a JSON pointer in a fragment: `#/$defs/unit`. */
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
