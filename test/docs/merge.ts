import { isMap, type YAMLMap } from 'yaml'

/** Merges a mapping into another as a reader would edit a file: a name that both have is replaced, unless both values are mappings. */
export function merge(into: YAMLMap, added: YAMLMap): void {
  for (const { key, value } of added.items) {
    const name = String(key)
    const there = into.get(name)
    if (isMap(there) && isMap(value)) merge(there, value)
    else into.set(name, value)
  }
}
