import { isMap, type YAMLMap } from 'yaml'

/** Puts what is added into a mapping as a reader would: by its names, and the rest stays. */
export function merge(into: YAMLMap, added: YAMLMap): void {
  for (const { key, value } of added.items) {
    const name = String(key)
    const there = into.get(name)
    if (isMap(there) && isMap(value)) merge(there, value)
    else into.set(name, value)
  }
}
