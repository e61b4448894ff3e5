import type { Pool } from '../../policy/config.ts'
import { flag, record, type TypeOf, whole, word } from '../schema/schema.ts'

/** The counts of prompt tokens of a replica or a pool. */
export const PROMPTS = {
  prompt_tokens: whole('Tokens of the prompts of chats, as backends counted them.'),
  cached_tokens: whole('Those of them that backends read from their caches.'),
}

/** The savings from caches of a pool's backends since the start of the process. */
export const CACHING = record(
  {
    balance: word(['prefix', 'session', 'busy'] as const, 'How chats are spread over the replicas.'),
    caches: word(['account', 'org', 'pool'] as const, 'Who may find whose prompt.'),
    isolated: flag('Whether the backends keep these apart, by `cache_salt`.'),
    ...PROMPTS,
    expected_tokens: whole('Those that the gateway expected them to have.'),
  },
  'Caching',
  'How much of the prompts of chats the backends had cached, since the process started; absent if the pool serves no chats.',
)

export interface ShownCaching extends TypeOf<typeof CACHING> {}

interface CachingField {
  readonly caching?: ShownCaching
}

/** The tokens of the prompts of a pool, since the process started. */
export type FoundTokens = Pick<ShownCaching, 'prompt_tokens' | 'cached_tokens' | 'expected_tokens'>

/** Shown before the first chat too, so that a pool which keeps no accounts apart shows it in time. */
export function shownCaching({ balance, caches, provider }: Pool, found: FoundTokens, hasChats: boolean): CachingField {
  if (!hasChats && found.prompt_tokens === 0) return {}
  return { caching: { balance, caches, isolated: caches !== 'pool' && provider.facts.cacheSalt, ...found } }
}

/** Adds up the tokens over processes, or gateways. */
export function addedCaching(pools: readonly CachingField[]): CachingField {
  const all = pools.flatMap(({ caching }) => caching ?? [])
  const [first] = all
  if (!first) return {}
  const sum = (field: keyof FoundTokens) => all.reduce((total, caching) => total + caching[field], 0)
  return {
    caching: {
      ...first,
      prompt_tokens: sum('prompt_tokens'),
      cached_tokens: sum('cached_tokens'),
      expected_tokens: sum('expected_tokens'),
    },
  }
}
