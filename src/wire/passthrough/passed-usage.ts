import { isObject } from '../json.ts'
import { isCount, type Usage } from '../openai/usage.ts'

/**
 * The tokens that a JSON answer counts, by the names that services have for them: OpenAI's, those of its newer endpoints,
 * a total alone (Jina, vLLM's rerank), or Cohere's billed units. Undefined where it counts none.
 */
export function readPassedUsage(answer: unknown): Usage | undefined {
  if (!isObject(answer)) return undefined
  const { usage, meta } = answer
  const billed = isObject(meta) ? (meta.billed_units ?? meta.tokens) : undefined
  return counted(usage) ?? counted(billed)
}

function counted(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const { prompt_tokens, completion_tokens, input_tokens, output_tokens, total_tokens: total } = usage
  const input = [prompt_tokens, input_tokens].find(isCount)
  const output = [completion_tokens, output_tokens].find(isCount)
  if (input !== undefined) return { inputTokens: input, outputTokens: output ?? beyond(total, input) }
  return isCount(total) ? { inputTokens: total, outputTokens: 0 } : undefined
}

const beyond = (total: unknown, input: number): number => (isCount(total) ? Math.max(0, total - input) : 0)
