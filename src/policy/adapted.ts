import type { Pool } from './config.ts'
import { droppedAt, isNative, translationFor } from './dialect.ts'
import type { ChatAsk } from './facts.ts'
import { cellsOf } from './pool-facts.ts'
import { chatNameOf } from './providers/droppable.ts'
import type { Facts } from './providers/profile.ts'

/** The changes to a request for the provider of a pool, each with its source. */
export function adaptationsOf(pool: Pool, request: ChatAsk): readonly string[] {
  const { developerRole, streamOptions } = pool.provider.facts
  const changes = droppedBySource(pool, request)
  if (request.dialect !== undefined && isNative(pool, request)) return changes
  const isChat = request.dialect === undefined && translationFor(pool) === 'chat'
  const { cap } = request
  if (isChat && cap && !pool.caps.includes(cap.field))
    changes.push(`${cap.field} as ${pool.caps.join(' and ')}${sourceText(pool, 'cap', () => true)}`)
  if (request.developer && !developerRole)
    changes.push(`developer as system${sourceText(pool, 'developerRole', is => !is)}`)
  if (isChat && request.stream && !streamOptions)
    changes.push(`without stream_options${sourceText(pool, 'streamOptions', is => !is)}`)
  return changes
}

/** Fields that are left out, together with those of the same source. */
function droppedBySource(pool: Pool, request: ChatAsk): string[] {
  const bySource = new Map<string, string[]>()
  for (const field of droppedAt(pool, request)) {
    const source = sourceText(pool, 'drops', is => is.includes(chatNameOf(field)))
    bySource.set(source, [...(bySource.get(source) ?? []), field])
  }
  return [...bySource].map(([source, fields]) => `without ${fields.join(', ')}${source}`)
}

/** Where a fact of a pool is known from; what no row says, the files say. */
function sourceText<Fact extends keyof Facts>(pool: Pool, fact: Fact, says: (is: Facts[Fact]) => boolean): string {
  const cell = cellsOf(pool, fact).find(({ is }) => says(is))
  return cell ? ` [${cell.source[0]}]` : ''
}
