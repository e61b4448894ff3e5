import type { Buffer } from 'node:buffer'
import type { EngineName } from '../../policy/engines.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { ENGINES } from '../load/engine-metrics.ts'
import { asked, type Outcome } from './chat.ts'
import { warning } from './finding.ts'
import type { ExaminedReplica } from './replica.ts'

/** Reads the load of a replica once, as the gateway does every second, where its pool declares `load`. */
export async function readLoadOnce(replica: ExaminedReplica): Promise<Outcome> {
  const { load } = replica.promised.settings
  if (!load) return NOTHING
  const { title, hint } = ENGINES[load.from]
  const result = await replica.load(load)
  if ('error' in result) {
    const text = `reports no load of ${title} at ${load.url}: ${result.error}`
    return { faults: [warning(text, `The gateway goes by its own counts there. ${hint}`)], notes: [] }
  }
  const { running, waiting, cachesPrefixes } = result.reading
  if (cachesPrefixes === false)
    return { faults: [warning('runs without a prefix cache', CACHES[load.from]?.keep)], notes: [] }
  return { faults: [], notes: [`load: ${running} running, ${waiting} waiting`] }
}

/** Sends the same prompt twice, and finds out whether the engine kept it and says so. */
export async function askTwice(replica: ExaminedReplica): Promise<Outcome> {
  const { settings, output } = replica.promised
  const flags = settings.load && CACHES[settings.load.from]
  if (!flags) return NOTHING
  const terms = { output }
  await asked(replica, LONG, terms)
  const { answer } = await asked(replica, LONG, terms)
  // Why there is no answer was found before.
  if (answer.head?.status !== 200) return NOTHING
  const cached = cachedTokensIn(answer.body)
  if (cached === undefined)
    return { faults: [warning('does not say how much of a prompt it had in its cache', flags.report)], notes: [] }
  if (cached === 0)
    return { faults: [warning('keeps nothing of a prompt for the next request with it', flags.keep)], notes: [] }
  return { faults: [], notes: ['keeps prefixes of prompts'] }
}

const NOTHING: Outcome = { faults: [], notes: [] }

/** Switches by which an engine keeps prefixes, and reports how much of a prompt it had. */
const CACHES: { readonly [E in EngineName]?: { readonly keep: string; readonly report: string } } = {
  vllm: {
    keep: 'Start vLLM without --no-enable-prefix-caching: a prompt that it has kept takes a fraction of the time.',
    report: 'Start vLLM with --enable-prompt-tokens-details.',
  },
  sglang: {
    keep: 'Start SGLang without --disable-radix-cache: a prompt that it has kept takes a fraction of the time.',
    report: 'Start SGLang with --enable-cache-report.',
  },
}

/** Some hundred tokens, many blocks of any cache. */
const LONG = { messages: [{ role: 'user', content: `Reply with the word ok. ${'Ignore these words. '.repeat(100)}` }] }

function cachedTokensIn(body: Buffer): number | undefined {
  const answer = parse(body.toString('utf8'))
  const usage = isObject(answer) && isObject(answer.usage) ? answer.usage : {}
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  return typeof details.cached_tokens === 'number' ? details.cached_tokens : undefined
}
