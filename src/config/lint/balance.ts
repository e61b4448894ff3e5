import type { PoolSection } from '../file.ts'
import type { Say } from '../problem.ts'
import { takesSalt } from '../resolve/pool-manners.ts'

/** Reports a `balance` that has nothing to choose by, `caches` that no backend keeps apart, and a `stay` without conversations. */
export function lintBalance(name: string, pool: PoolSection, kinds: ReadonlySet<string>, say: Say): void {
  const { balance, caches, replicas } = pool
  const isOfChats = kinds.has('chat') || kinds.size === 0
  for (const field of ['balance', 'caches', 'stay'] as const) {
    if (pool[field] === undefined || isOfChats) continue
    const message = `pool \`${name}\` has \`${field}\`, and serves no chats`
    say([field], 'error', 'needs-chat', message, `remove \`${field}\``)
  }
  if (balance !== undefined && balance !== 'busy' && replicas.length === 1) {
    const message = `pool \`${name}\` has \`balance: ${balance}\`, and one replica`
    say(['balance'], 'warning', 'one-replica', message, 'every request goes to that one: remove `balance`')
  }
  if (caches !== undefined && caches !== 'pool' && isOfChats && !takesSalt(pool)) {
    const message = `pool \`${name}\` has \`caches: ${caches}\`, and its backends take no \`cache_salt\` that would keep them apart`
    const hint = 'set `provider` to the engine, such as `vllm` or `sglang`, write `caches: pool`, or remove it'
    say(['caches'], 'error', 'needs-cache-salt', message, hint)
  }
}
