import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { COUNT_MAX, type Usage, withCached } from './usage.ts'

/** Reads the usage of a chat's answer or chunk: at its top, or where Groq, Moonshot, llama.cpp and others put it. */
export function usageIn(answer: JsonObject): Usage | undefined {
  const { x_groq, timings, choices } = answer
  const top = readUsage(usageMember(answer))
  let usage = isObject(x_groq) ? larger(top, readUsage(x_groq.usage)) : top
  if (isObject(timings)) usage = larger(usage, readTimings(timings))
  for (const choice of Array.isArray(choices) ? choices : NOTHING)
    if (isObject(choice)) usage = larger(usage, readUsage(choice.usage ?? asObject(choice.message).usage))
  return usage
}

/** The usage object at the top of an answer, under any of its names. */
export const usageMember = ({ usage, usage_metadata, usageMetadata, token_usage, meta }: JsonObject): unknown =>
  usage ?? usage_metadata ?? usageMetadata ?? token_usage ?? meta

const NOTHING: readonly unknown[] = []

/**
 * Reads a usage object of any service. Input is the whole prompt, cached tokens included; output is everything
 * generated, reasoning included. Undefined if a count is missing and no total replaces it.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  // Cohere lists billed and counted tokens separately. Bedrock, Gemini and the AI SDK use camel case.
  return (
    readCounts(value) ??
    readCounts(asObject(value.billed_units)) ??
    readCounts(asObject(value.tokens)) ??
    (hasCapitals(value) ? readCounts(snakeCased(value)) : undefined)
  )
}

const hasCapitals = (value: JsonObject): boolean => Object.keys(value).some(name => CAPITAL.test(name))

/** Copies an object with all names in snake case, at every depth. */
const snakeCased = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replaceAll(CAPITALS, letter => `_${letter.toLowerCase()}`),
      isObject(member) ? snakeCased(member) : member,
    ]),
  )

const CAPITAL = /[a-z][A-Z]/
const CAPITALS = /[A-Z]/g

function readCounts(value: JsonObject): Usage | undefined {
  const counted = countsIn(value)
  if (!counted) return undefined
  const { prompt, output, total } = counted
  const cache = cacheIn(value)
  const held = cache.read + cache.written
  const reasoning = reasoningTokensIn(value)
  const isBeside = held > 0 && isBesidePrompt(value, { ...counted, held, reasoning })
  const inputTokens = isBeside ? prompt + held : prompt
  const rest = Math.max(0, (total ?? 0) - inputTokens - output)
  const beside = rest > 0 && saysReasoning(value) ? Math.min(rest, reasoning) : rest
  // A part cannot exceed its whole: a service that reports more reasoning than output counts reasoning separately.
  const outputTokens = Math.max(output + beside, reasoning)
  return withCached({ inputTokens, outputTokens }, cache.read, cache.written, cache.kept)
}

/** The larger of each count: a later, smaller report takes nothing back. */
export function larger<B extends Usage | undefined>(a: Usage | undefined, b: B): Usage | B {
  if (!a || !b) return a ?? b
  const most = (name: keyof Usage) => Math.max(a[name] ?? 0, b[name] ?? 0)
  const counts = { inputTokens: most('inputTokens'), outputTokens: most('outputTokens') }
  return withCached(counts, most('cachedTokens'), most('cacheWriteTokens'), most('cacheWrite1hTokens'))
}

export const isEqual = (a: Usage, b: Usage): boolean => COUNTS.every(name => (a[name] ?? 0) === (b[name] ?? 0))

const COUNTS = ['inputTokens', 'outputTokens', 'cachedTokens', 'cacheWriteTokens', 'cacheWrite1hTokens'] as const

/** A usage as the client sees it: the backend's own object, if it gives the same counts under the public names. */
export function toldUsage(reported: unknown, usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  const wrote = asObject(reported)
  const { cached_tokens: read, cache_write_tokens: written } = asObject(wrote.prompt_tokens_details)
  const reasoning = Math.min(reasoningTokensIn(wrote), outputTokens)
  const isSame =
    wrote.prompt_tokens === inputTokens &&
    wrote.completion_tokens === outputTokens &&
    wrote.total_tokens === inputTokens + outputTokens &&
    (read ?? 0) === cachedTokens &&
    (written ?? 0) === cacheWriteTokens &&
    (asObject(wrote.completion_tokens_details).reasoning_tokens ?? 0) === reasoning
  if (isSame) return wrote
  const {
    prompt_tokens_details: ofPrompt,
    completion_tokens_details: ofOutput,
    ...counts
  } = chatUsage(usage, reasoning)
  const hasCache = cachedTokens + cacheWriteTokens > 0 || isObject(wrote.prompt_tokens_details)
  const hasReasoning = reasoning > 0 || isObject(wrote.completion_tokens_details)
  return {
    ...wrote,
    ...counts,
    ...(hasCache && { prompt_tokens_details: { ...asObject(wrote.prompt_tokens_details), ...asObject(ofPrompt) } }),
    ...(hasReasoning && {
      completion_tokens_details: { ...asObject(wrote.completion_tokens_details), ...asObject(ofOutput) },
    }),
  }
}

/** Translates a usage of another dialect into that of a chat; undefined if it has no counts. */
export function translatedUsage(reported: unknown): JsonObject | undefined {
  const usage = readUsage(reported)
  return usage && chatUsage(usage, reasoningTokensIn(reported))
}

/** A usage in the form of a chat, with the reasoning part of the output. */
function chatUsage(usage: Usage, reasoningTokens: number): JsonObject {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      cache_write_tokens: cacheWriteTokens,
      // In LiteLLM's form. Most requests write nothing for an hour.
      ...(cacheWrite1hTokens > 0 && {
        cache_creation_token_details: { ephemeral_1h_input_tokens: cacheWrite1hTokens },
      }),
    },
    completion_tokens_details: { reasoning_tokens: Math.min(reasoningTokens, outputTokens) },
  }
}

/** The reasoning tokens of a usage object; 0 if it has no such count. */
export const reasoningTokensIn = (reported: unknown): number => {
  if (!isObject(reported)) return 0
  const usage = hasCapitals(reported) ? snakeCased(reported) : reported
  let most = mostOf(usage, REASONING) ?? 0
  for (const name of OUTPUT_DETAILS) {
    const { [name]: details } = usage
    if (isObject(details)) most = Math.max(most, mostOf(details, REASONING) ?? 0)
  }
  return most
}

/** Whether it counts reasoning, even if that is 0. */
const saysReasoning = (usage: JsonObject): boolean =>
  mostOf(usage, REASONING) !== undefined ||
  OUTPUT_DETAILS.some(name => mostOf(asObject(usage[name]), REASONING) !== undefined)

interface Counts {
  readonly prompt: number
  readonly output: number
  readonly total: number | undefined
}

/** The counts at the top of a usage object; a total replaces a missing one. */
function countsIn(value: JsonObject): Counts | undefined {
  const total = countIn(value.total_tokens ?? value.total_token_count)
  const output = mostOf(value, OUTPUT)
  const prompt = mostOf(value, PROMPT) ?? hitsAndMisses(value) ?? beyond(total, output)
  if (prompt === undefined) return undefined
  const made = output ?? beyond(total, prompt)
  return made === undefined ? undefined : { prompt, output: made, total }
}

const beyond = (total: number | undefined, part: number | undefined): number | undefined =>
  total === undefined || part === undefined ? undefined : Math.max(0, total - part)

/** DeepSeek's two parts of a prompt, cached and not. */
function hitsAndMisses({ prompt_cache_hit_tokens, prompt_cache_miss_tokens }: JsonObject): number | undefined {
  const [hit, miss] = [countIn(prompt_cache_hit_tokens), countIn(prompt_cache_miss_tokens)]
  return hit === undefined || miss === undefined ? undefined : hit + miss
}

/**
 * Whether cached tokens are counted on top of the prompt's. Anthropic's names mean that; LiteLLM and others use the
 * same names for a part of `prompt_tokens`, unless their numbers contradict that.
 */
function isBesidePrompt(
  value: JsonObject,
  counts: Counts & { readonly held: number; readonly reasoning: number },
): boolean {
  if (mostOf(value, ANTHROPIC) === undefined) return false
  const { prompt, output, total, held, reasoning } = counts
  const rest = total === undefined ? undefined : total - prompt - output
  if (rest === held || rest === held + reasoning) return true
  if (held > prompt) return true
  return rest === undefined && countIn(value.prompt_tokens) === undefined
}

interface Cache {
  readonly read: number
  readonly written: number
  /** Written tokens kept for an hour. */
  readonly kept: number
}

/** The prompt tokens read from a cache or written into it, under all their names. */
function cacheIn(value: JsonObject): Cache {
  let read = mostOf(value, READ) ?? 0
  let written = Math.max(mostOf(value, WRITTEN) ?? 0, createdIn(value))
  let kept = keptIn(value)
  for (const name of INPUT_DETAILS) {
    const { [name]: details } = value
    if (!isObject(details)) continue
    read = Math.max(read, mostOf(details, READ) ?? 0)
    written = Math.max(written, mostOf(details, WRITTEN) ?? 0, createdIn(details))
    kept = Math.max(kept, keptIn(details))
  }
  return { read, written, kept }
}

/** The written tokens by lifetime, as Anthropic and DashScope list them. */
function createdIn({ cache_creation }: JsonObject): number {
  if (!isObject(cache_creation)) return 0
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = cache_creation
  return Math.max(mostOf(cache_creation, WRITTEN) ?? 0, (countIn(short) ?? 0) + (countIn(long) ?? 0))
}

/** The tokens written into a cache for an hour, which cost more. */
export const keptIn = ({ cache_creation, cache_creation_token_details: details }: JsonObject): number =>
  Math.max(
    countIn(asObject(cache_creation).ephemeral_1h_input_tokens) ?? 0,
    countIn(asObject(details).ephemeral_1h_input_tokens) ?? 0,
  )

/** llama.cpp's own numbers: prompt tokens computed, prompt tokens cached, and tokens generated. */
function readTimings({ prompt_n, cache_n, predicted_n }: JsonObject): Usage | undefined {
  const [read, made, held = 0] = [countIn(prompt_n), countIn(predicted_n), countIn(cache_n)]
  if (read === undefined || made === undefined) return undefined
  return withCached({ inputTokens: read + held, outputTokens: made }, held, undefined)
}

/** Names of counts. If several are present, the largest counts, because some services report 0 under other services' names. */
const PROMPT = [
  ...['prompt_tokens', 'input_tokens', 'prompt_eval_count', 'prompt_token_count', 'input_token_count'],
  'tokens_evaluated',
]
const OUTPUT = [
  ...['completion_tokens', 'output_tokens', 'eval_count', 'candidates_token_count', 'output_token_count'],
  ...['generated_token_count', 'generated_tokens', 'tokens_predicted'],
]
const ANTHROPIC = ['cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_write_input_tokens']
const READ = [
  ...['cached_tokens', 'cache_read_input_tokens', 'prompt_cache_hit_tokens', 'num_cached_tokens'],
  ...['cache_read_tokens', 'cached_input_tokens', 'cached_content_token_count'],
]
const WRITTEN = [
  ...['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens', 'cache_write_input_tokens'],
]
const REASONING = ['reasoning_tokens', 'thinking_tokens', 'thoughts_token_count', 'thought_tokens']
/** The names of OpenAI, its Realtime API, and Mistral. */
const INPUT_DETAILS = ['prompt_tokens_details', 'input_tokens_details', 'input_token_details', 'prompt_token_details']
const OUTPUT_DETAILS = [
  ...['completion_tokens_details', 'output_tokens_details', 'output_token_details', 'completion_token_details'],
]

function mostOf(object: JsonObject, names: readonly string[]): number | undefined {
  let most: number | undefined
  for (const name of names) {
    const count = countIn(object[name])
    if (count !== undefined && (most === undefined || count > most)) most = count
  }
  return most
}

/** A count, however it is written: JSON made from protocol buffers has integers as strings. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return typeof count === 'number' && count >= 0 && count <= COUNT_MAX ? Math.ceil(count) : undefined
}

const DIGITS = /^\d{1,10}$/
