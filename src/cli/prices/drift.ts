import { unitOf } from '../../config/model/units.ts'
import { impliedBy } from '../../config/resolve/hosts.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Model, Place, Pool, Price } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { withCacheWrites } from '../../policy/price.ts'
import type { ProviderName } from '../../policy/providers/profile.ts'
import { plainPools } from '../../policy/traffic/share.ts'

/** The rates of a price, by their YAML names. */
export const RATES = ['input', 'output', 'cached_input', 'cache_write'] as const
export type Rate = (typeof RATES)[number]

/** A provider's prices of a model in US dollars for a million tokens; undefined where the provider has no such price. */
export type ListedRates = Readonly<Record<Rate, number | undefined>>

/** The prices of a provider's model; undefined where the catalogue does not have it. */
export type Catalogue = (provider: ProviderName, model: string) => ListedRates | undefined

/** A rate of the configuration that differs from the provider's, both in nano-USD for 1,000 tokens. */
export interface Drift {
  /** The section and the name of what has the price. */
  readonly section: 'models' | 'pools'
  readonly name: string
  readonly at: Place
  /** The model that the pool has its replicas run. */
  readonly upstream: string
  readonly provider: ProviderName
  readonly rate: Rate
  readonly configured: NanoUsd
  readonly listed: NanoUsd
  /** Whether the file has the rate, or another one stands for it. */
  readonly isWritten: boolean
}

/** A price at a known provider whose model the catalogue lacks, so that nothing says whether it is right. */
export type Unlisted = Pick<Drift, 'section' | 'name' | 'upstream' | 'provider'>

/** The configuration's prices beside the provider's. */
export interface Comparison {
  readonly drifts: readonly Drift[]
  /** Prices that the catalogue has, each of a pool or a model. */
  readonly compared: number
  readonly unlisted: readonly Unlisted[]
}

/**
 * Compares the cost of each pool at a known provider, or, where the pool has none, the price of each model that it serves
 * first: a model whose pools have a cost is sold for what the operator wants.
 */
export function comparePrices({ config, settings }: Loaded, catalogue: Catalogue): Comparison {
  const pools = [...config.pools.values()].flatMap(pool => {
    const cost = settings.backends.get(pool.name)?.cost
    return cost ? [driftsOf({ section: 'pools', thing: pool, price: cost, pool }, catalogue)] : []
  })
  const models = [...config.models.values()].flatMap(model => {
    const price = priceOf(model)
    const [pool] = model.kind === 'passthrough' ? [] : plainPools(model)
    if (!price || !pool || settings.backends.get(pool.name)?.cost) return []
    return [driftsOf({ section: 'models', thing: model, price, pool }, catalogue)]
  })
  const found = [...pools, ...models]
  const known = found.flatMap(each => (each && 'drifts' in each ? [each.drifts] : []))
  const unlisted = found.flatMap(each => (each && !('drifts' in each) ? [each] : []))
  return { drifts: known.flat(), compared: known.length, unlisted }
}

const priceOf = (model: Model): Price | undefined => ('price' in model ? model.price : undefined)

interface Priced {
  readonly section: Drift['section']
  readonly thing: Pool | Model
  readonly price: Price
  readonly pool: Pool
}

/** Undefined for a server of one's own, which may run the model at another price. */
function driftsOf(
  { section, thing, price, pool }: Priced,
  catalogue: Catalogue,
): { readonly drifts: readonly Drift[] } | Unlisted | undefined {
  const provider = impliedBy(pool.replicas)
  if (!provider) return undefined
  const listed = catalogue(provider, pool.model)
  if (!listed) return { section, name: thing.name, upstream: pool.model, provider }
  const isEmbedding = 'kind' in thing && thing.kind === 'embedding'
  const drifts = RATES.flatMap((rate): readonly Drift[] => {
    const usd = isEmbedding && rate !== 'input' ? undefined : listed[rate]
    if (usd === undefined) return []
    const { value: configured, isWritten } = rateOf(price, rate)
    const wanted = unitOf('price', usd)
    if (configured === wanted) return []
    const { name, at, fields } = thing
    const place = fields[section === 'pools' ? 'cost_usd_per_1m' : 'usd_per_1m'] ?? at
    return [{ section, name, at: place, upstream: pool.model, provider, rate, configured, listed: wanted, isWritten }]
  })
  return { drifts }
}

/** A rate as it is charged: what a file leaves out goes by the input. */
function rateOf(price: Price, rate: Rate): { value: NanoUsd; isWritten: boolean } {
  const { input, output, cachedInput, cacheWrite } = price
  switch (rate) {
    case 'input':
      return { value: input, isWritten: true }
    case 'output':
      return { value: output, isWritten: true }
    case 'cached_input':
      return { value: cachedInput ?? input, isWritten: cachedInput !== undefined }
    case 'cache_write':
      return { value: withCacheWrites(price, '5m').cacheWrite ?? input, isWritten: cacheWrite !== undefined }
  }
}
