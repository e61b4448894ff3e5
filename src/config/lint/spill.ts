import type { ModelSection, PoolSection } from '../file.ts'
import { servedNames } from '../model/served.ts'
import type { Say } from '../problem.ts'
import type { MergedFiles } from '../read/merge.ts'

/** Reports a `spill` that has no figure to go by, or no pool to spill to. */
export function lintSpill(name: string, pool: PoolSection, models: MergedFiles['models'], say: Say): void {
  const { spill, load } = pool
  if (!spill) return
  const served = [...models.values()].flatMap(({ data }) =>
    data && servedNames(data.serve).includes(name) ? [data] : [],
  )
  // Engines report how many requests wait, and only streams of chats have a first token.
  const lacksLoad = spill.waiting_over !== undefined && load === undefined
  const lacksChats =
    spill.first_token_over !== undefined && served.length > 0 && served.every(({ kind }) => kind !== 'chat')
  if (lacksLoad) {
    const message = `pool \`${name}\` has \`spill.waiting_over\`, but no \`load\` that says how many requests wait`
    const hint = 'add `load: { from: vllm }` with the engine of the pool, or remove it'
    say(['spill', 'waiting_over'], 'error', 'needs-load', message, hint)
  }
  if (lacksChats) {
    const message = `pool \`${name}\` has \`spill.first_token_over\`, and serves no chats`
    say(['spill', 'first_token_over'], 'error', 'needs-chat', message, 'remove `first_token_over`')
  }
  if (!lacksLoad && !lacksChats) lintLast(name, pool, served, say)
}

function lintLast(name: string, { replicas }: PoolSection, served: readonly ModelSection[], say: Say): void {
  if (served.length === 0 || served.some(({ serve }) => serve.at(-1) !== name)) return
  const message = `pool \`${name}\` has \`spill\`, and no \`serve\` has a pool behind it that could take its requests`
  const effect = replicas.length > 1 ? ': it only makes requests pass over a replica that is behind' : ''
  say(['spill'], 'warning', 'spills-nowhere', message, `add a pool behind it, or remove \`spill\`${effect}`)
}
