import type { Config, Millis } from '../../policy/config.ts'
import { type Denied, invalid, type ValidationDenial } from '../../policy/denial.ts'
import { wrongValue } from '../../policy/label-values.ts'
import type { Narrowed } from '../../records/key.ts'
import type { Mint } from '../store/key-store.ts'
import { isNetwork } from './networks.ts'

/** The requested terms of a new key, besides its owner. */
export interface KeyWish extends Pick<Mint, 'name' | 'life'>, Narrowed {}

/** The fault of a wish; undefined where it can be granted. */
export function wrongWish(
  config: Config,
  { models, addresses, limits, labels }: KeyWish,
): Denied<ValidationDenial> | undefined {
  const named = [
    ...(models ?? []).map((entry, place) => [`models[${place}]`, entry] as const),
    ...(limits ?? []).flatMap(({ model }, place) =>
      model === undefined ? [] : [[`limits[${place}].model`, model] as const],
    ),
  ]
  for (const [field, entry] of named) {
    const problem = wrongModel(config, entry)
    if (problem !== undefined) return invalid(field, problem)
  }
  const wrong = addresses?.findIndex(address => !isNetwork(address)) ?? -1
  if (wrong !== -1) return invalid(`addresses[${wrong}]`, `must be ${NETWORK_FORMS}`)
  for (const [name, value] of Object.entries(labels ?? {})) {
    const problem = wrongLabel(config, name, value)
    if (problem !== undefined) return invalid(`labels.${name}`, problem)
  }
  return undefined
}

/** The problem with a label of a key; undefined where keys may have it. */
function wrongLabel({ labels }: Config, name: string, value: string): string | undefined {
  const label = labels.get(name)
  if (label?.ofKey) return wrongValue(label, value)
  const known = [...labels.values()].filter(({ ofKey }) => ofKey).map(each => each.name)
  if (known.length === 0) return 'the files declare no label that keys have: write `from: [key]` in `labels`'
  return `keys have no such label; there are ${known.join(', ')}`
}

const NETWORK_FORMS = 'an address or a network: 10.0.0.7, 10.0.0.0/8, ::1 or fd00::/8'

function wrongModel({ models, aliases }: Config, entry: string): string | undefined {
  const tier = /^tier:(.*)$/s.exec(entry)?.[1]
  if (tier !== undefined) {
    const tiers = new Set(Array.from(models.values(), model => model.tier))
    return tiers.has(tier) ? undefined : `no such tier \`${tier}\`; there are ${[...tiers].join(', ')}`
  }
  if (models.has(entry)) return undefined
  const alias = aliases.get(entry)
  if (alias)
    return `\`${entry}\` is an alias: name the model ${alias.model.name}, or a tier as tier:${alias.model.tier}`
  return `no such model \`${entry}\`; there are ${[...models.keys()].join(', ')}`
}

/** The longest life of a key with an end. */
const LONGEST_LIFE: Millis = 10 * 365 * 86_400_000

const UNITS: Readonly<Record<string, Millis>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time that a client writes: seconds, or `90d`, `12h`, `30m`, `45s`. Undefined where it is another thing, nothing, or too long. */
export function readSpan(written: unknown): Millis | undefined {
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(String(written)) ?? []
  const span = typeof written === 'number' ? written * 1000 : Number(number) * (UNITS[unit] ?? Number.NaN)
  return Number.isSafeInteger(span) && span > 0 && span <= LONGEST_LIFE ? span : undefined
}
