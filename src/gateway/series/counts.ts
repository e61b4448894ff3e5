import { DURATIONS, FIRST_TOKENS } from './buckets.ts'

/** The counts of each model and each pool, by their names in the configuration. */
export interface Counts {
  readonly models: ReadonlyMap<string, ModelCounts>
  readonly pools: ReadonlyMap<string, PoolCounts>
}

/** Whole numbers in the order of `MODEL_FIELDS`, then the buckets of durations and of first tokens. */
export type ModelCounts = readonly number[]
/** Whole numbers in the order of `POOL_FIELDS`, then the same buckets. */
export type PoolCounts = readonly number[]

/** Requests by how they ended, then tokens and nano-USD charged. `left`: the client left before its answer. */
export const MODEL_FIELDS = ['served', 'refused', 'failed', 'left', 'input', 'output', 'nanoUsd'] as const
/** Attempts at the backends of a pool, by how they ended. */
export const POOL_FIELDS = ['ok', 'failed'] as const

export type ModelField = (typeof MODEL_FIELDS)[number]
export type PoolField = (typeof POOL_FIELDS)[number]

/** One more than the bounds, for what is above the last. */
const BUCKETS = DURATIONS.length + 1 + FIRST_TOKENS.length + 1
export const MODEL_LENGTH = MODEL_FIELDS.length + BUCKETS
export const POOL_LENGTH = POOL_FIELDS.length + BUCKETS

export const NOTHING: Counts = { models: new Map(), pools: new Map() }

export const isNothing = ({ models, pools }: Counts): boolean => models.size + pools.size === 0

/** The buckets of durations, and of first tokens, behind so many fields. */
export function bucketsOf(counts: readonly number[], fields: number): readonly [readonly number[], readonly number[]] {
  const middle = fields + DURATIONS.length + 1
  return [counts.slice(fields, middle), counts.slice(middle)]
}

export function add(a: Counts, b: Counts): Counts {
  return joined(a, b, (x, y) => x + y)
}

/** The counts since an earlier count, without those that did not change. */
export function since(now: Counts, earlier: Counts): Counts {
  return joined(now, earlier, (x, y) => x - y)
}

function joined(a: Counts, b: Counts, join: (x: number, y: number) => number): Counts {
  return { models: joinedMaps(a.models, b.models, join), pools: joinedMaps(a.pools, b.pools, join) }
}

function joinedMaps(
  a: ReadonlyMap<string, readonly number[]>,
  b: ReadonlyMap<string, readonly number[]>,
  join: (x: number, y: number) => number,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly number[]>()
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [x, y] = [a.get(name), b.get(name)]
    const sum = (x ?? y ?? []).map((_, index) => join(x?.[index] ?? 0, y?.[index] ?? 0))
    if (sum.some(count => count !== 0)) found.set(name, sum)
  }
  return found
}

/** As JSON of at most so many bytes: the models and pools with the least to count are added up as `…` until it fits. */
export function countsText(counts: Counts, maxBytes: number): string {
  for (let names = Math.max(counts.models.size, counts.pools.size); ; names = Math.floor(names / 2)) {
    const text = JSON.stringify({
      models: Object.fromEntries(largest(counts.models, names, MODEL_FIELDS.indexOf('input'))),
      pools: Object.fromEntries(largest(counts.pools, names, POOL_FIELDS.length)),
    })
    if (Buffer.byteLength(text) <= maxBytes || names === 0) return text
  }
}

/** Stands for all names that there was no room for. */
export const OTHERS = '…'

/** `counted`: how many of the first fields say how much happened. */
function largest(
  all: ReadonlyMap<string, readonly number[]>,
  names: number,
  counted: number,
): ReadonlyMap<string, readonly number[]> {
  if (all.size <= names) return all
  const sizeOf = (counts: readonly number[]) => counts.slice(0, counted).reduce((sum, count) => sum + count, 0)
  const ranked = [...all].sort(([, a], [, b]) => sizeOf(b) - sizeOf(a))
  const others = ranked.slice(names).map(([, counts]) => new Map([[OTHERS, counts]]))
  return others.reduce<ReadonlyMap<string, readonly number[]>>(
    (sum, each) => joinedMaps(sum, each, (x, y) => x + y),
    new Map(ranked.slice(0, names)),
  )
}

/** Reads what `countsText` wrote; of a text that another version wrote in another form nothing is counted. */
export function readCounts(text: string): Counts {
  const { models, pools } = JSON.parse(text) as Readonly<Record<string, unknown>>
  return { models: cellsIn(models, MODEL_LENGTH), pools: cellsIn(pools, POOL_LENGTH) }
}

function cellsIn(value: unknown, length: number): ReadonlyMap<string, readonly number[]> {
  if (typeof value !== 'object' || value === null) return new Map()
  return new Map(
    Object.entries(value).filter(
      (entry): entry is [string, readonly number[]] =>
        Array.isArray(entry[1]) && entry[1].length === length && entry[1].every(Number.isFinite),
    ),
  )
}
