import type { CacheTime } from '../../policy/price.ts'
import { isObject } from '../json-safety.ts'

/** How long the marks in a body of Messages have its backend keep the prompt; undefined where it has none. */
export function cacheTimeIn(value: unknown): CacheTime | undefined {
  if (Array.isArray(value)) return longest(value)
  if (!isObject(value)) return undefined
  const { cache_control: mark } = value
  const own = isObject(mark) ? (mark.ttl === '1h' ? '1h' : '5m') : undefined
  if (own === '1h') return own
  return longest(Object.values(value)) ?? own
}

function longest(values: readonly unknown[]): CacheTime | undefined {
  let time: CacheTime | undefined
  for (const value of values) {
    const found = typeof value === 'object' ? cacheTimeIn(value) : undefined
    if (found === '1h') return found
    time ??= found
  }
  return time
}
