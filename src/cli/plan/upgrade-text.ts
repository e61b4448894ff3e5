import { durationText } from '../../config/model/units.ts'
import type { FactChange, FactValue } from '../../policy/pool-facts.ts'
import { oneLine } from '../../wire/printable.ts'
import type { Upgrade } from './upgrade.ts'

/** `Provider profiles once the gateway runs 0.4.0 in place of 0.3.0` */
export const upgradeTitle = ({ from, to }: Upgrade): string =>
  `Provider profiles once the gateway runs ${from === to ? `this build of ${to}` : `${to} in place of ${oneLine(from)}`}`

/** A sentence for each fact that changes, with its first source. */
export const upgradeLines = ({ changes }: Upgrade): readonly UpgradeLine[] =>
  changes.map(change => ({ text: changeText(change), ...(change.sources[0] && { source: change.sources[0] }) }))

interface UpgradeLine {
  readonly text: string
  readonly source?: string
}

function changeText({ pool, fact, from, to }: FactChange): string {
  const subject = `pool ${oneLine(pool)}`
  if (!Array.isArray(from ?? to))
    return `${subject}: ${fieldOf(fact)} ${shown(from) ?? 'none'} → ${shown(to) ?? 'none'}`
  const [was, is] = [from, to].map(value => (Array.isArray(value) ? value.map(String) : []))
  const gained = is?.filter(each => !was?.includes(each)) ?? []
  const lost = was?.filter(each => !is?.includes(each)) ?? []
  const parts = [
    ...(gained.length > 0 ? [`gains ${gained.join(', ')}`] : []),
    ...(lost.length > 0 ? [`loses ${lost.join(', ')}`] : []),
  ]
  return oneLine(`${subject}: ${fieldOf(fact)} ${parts.join(' and ')}`)
}

/** As programs read it; null unless a gateway reports the facts by which it speaks to its pools. */
export const upgradeRecord = (upgrade: Upgrade | undefined): object | null =>
  upgrade
    ? {
        from: upgrade.from,
        to: upgrade.to,
        changes: upgrade.changes.map(change => ({
          pool: change.pool,
          field: fieldOf(change.fact),
          from: shown(change.from) ?? null,
          to: shown(change.to) ?? null,
          text: changeText(change),
          sources: change.sources,
        })),
        uncompared: upgrade.uncompared,
      }
    : null

/** The field of a pool for a fact: `cap`, `provider.drops`. */
const fieldOf = (fact: string): string => OF_POOL[fact] ?? `provider.${oneLine(fact)}`

const OF_POOL: Readonly<Record<string, string>> = {
  provider: 'provider',
  cap: 'cap',
  fetch: 'fetch',
  unknown_fields: 'unknown_fields',
  first_content_timeout_ms: 'first_content_timeout',
}

/** As the files write it; undefined for an empty list. */
function shown(value: FactValue | undefined): string | undefined {
  if (typeof value === 'number') return durationText(value)
  if (Array.isArray(value)) return value.length > 0 ? oneLine(value.join(', ')) : undefined
  return value === undefined ? undefined : oneLine(String(value))
}
