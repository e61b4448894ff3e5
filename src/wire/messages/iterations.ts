import { asObject, type JsonObject } from '../json-safety.ts'
import { keptIn } from '../usage/reported-usage.ts'
import { isCount } from '../usage/usage.ts'

/**
 * A usage of Messages with what all of its iterations used: the counts at its top leave out those in which the service
 * shortened the conversation (compaction), or asked another model, though it is paid for them.
 */
export function withIterations(usage: JsonObject): JsonObject {
  const { iterations } = usage
  if (!Array.isArray(iterations)) return usage
  const all: Record<string, unknown> = { ...usage }
  for (const field of COUNTS) {
    const sum = iterations.reduce((so: number, each) => so + countOf(asObject(each)[field]), 0)
    // Where they are parts of what stands at the top, the sum is the same.
    if (isCount(sum) && sum > countOf(usage[field])) all[field] = sum
  }
  const kept = iterations.reduce((so: number, each) => so + keptIn(asObject(each)), 0)
  if (isCount(kept) && kept > keptIn(usage)) all.cache_creation = { ephemeral_1h_input_tokens: kept }
  return all
}

const COUNTS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const

const countOf = (value: unknown): number => (isCount(value) ? value : 0)
