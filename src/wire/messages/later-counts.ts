import { isObject, type JsonObject } from '../json-safety.ts'
import { countIn } from '../usage/reported-usage.ts'

/**
 * The counts of a message after a later report. Later counts cover the whole answer. A missing or odd count keeps its
 * value, and so does a prompt for which only zeros are reported. Output only grows, except for counts from before any
 * output: `areFirst`.
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
