import { isObject, type JsonObject } from '../json-safety.ts'
import { countIn } from '../usage/reported-usage.ts'

/**
 * The counts of a message once more of them came. Later ones stand for all of the answer; what is left out or odd stays as
 * it was, and so does a prompt of which nothing is told again but zeros. Output only grows, but for what stood there before
 * anything was said: `areFirst`.
 */
export function laterCounts(before: JsonObject, now: JsonObject, areFirst: boolean): JsonObject {
  const counts: Record<string, unknown> = { ...before }
  const tellsPrompt = INPUT.some(name => (countIn(now[name]) ?? 0) > 0)
  for (const [name, value] of Object.entries(now)) {
    const count = countIn(value)
    if (count === undefined ? !isObject(value) && !Array.isArray(value) : isTakenBack(name, count)) continue
    counts[name] = value
  }
  return counts

  function isTakenBack(name: string, count: number): boolean {
    const known = countIn(before[name]) ?? 0
    if (name === 'output_tokens') return count < known && !areFirst
    return INPUT.includes(name) && !tellsPrompt && known > 0
  }
}

const INPUT: readonly string[] = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
