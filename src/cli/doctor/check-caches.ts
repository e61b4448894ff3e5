import type { Finding } from '../../gateway/doctor/finding.ts'
import type { Config, Pool } from '../../policy/config.ts'

/**
 * Who finds whose prompts in the caches of the backends: a finding for the pools whose accounts share caches without
 * the files saying so, and one for those where each account has a cache of its own, which finds less.
 */
export function checkCaches({ models }: Pick<Config, 'models'>, pools: readonly Pool[]): readonly Finding[] {
  const chats = [...models.values()].filter(({ kind }) => kind === 'chat')
  const served = pools.filter(pool => chats.some(({ serve }) => serve.includes(pool)))
  const shared = served.filter(({ caches, provider }) => caches !== 'pool' && !provider.facts.cacheSalt)
  const apart = served.filter(({ caches, provider }) => caches === 'account' && provider.facts.cacheSalt)
  return [
    ...findingOn(
      shared,
      names => `accounts share the prompt caches of ${names}: not isolated, since the backends take no cache_salt`,
    ),
    ...findingOn(
      apart,
      names =>
        `each account has a prompt cache of its own at ${names}; \`caches: org\` finds more where people of an org share prompts`,
    ),
  ]
}

function findingOn(pools: readonly Pool[], textOf: (names: string) => string): readonly Finding[] {
  if (pools.length === 0) return []
  const names = pools.map(({ name }) => name).join(', ')
  return [{ check: 'caches', subject: names, state: 'ok', text: textOf(names) }]
}
