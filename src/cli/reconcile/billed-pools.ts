import { impliedBy } from '../../config/resolve/hosts.ts'
import type { Loaded } from '../../config/settings.ts'
import type { TokenPrices } from '../../policy/billing/bill/bill.ts'
import type { Pool, Price } from '../../policy/config.ts'
import { withCacheWrites } from '../../policy/price.ts'
import type { ProviderName } from '../../policy/providers/profile.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'

/** The pools whose work a bill is for. */
export interface BilledPools {
  readonly pools: readonly Pool[]
  /** The keys are names of models that the pools send. */
  readonly prices: ReadonlyMap<string, TokenPrices>
}

/** The pools that the operator names, or those at the providers of the export. Throws CommandFailed where there are none, or two disagree. */
export function billedPools(
  loaded: Loaded,
  named: readonly string[],
  providers: readonly ProviderName[] | undefined,
): BilledPools {
  const all = [...loaded.config.pools.values()]
  const unknown = named.find(name => !loaded.config.pools.has(name))
  if (unknown !== undefined) throw new CommandFailed(`✗ there is no pool ${unknown}`, exitCodes.usage)
  const pools = all.filter(pool => (named.length > 0 ? named.includes(pool.name) : isAt(pool, providers)))
  if (pools.length === 0) {
    const where = providers ? ` at ${providers.join(' or ')}` : ''
    throw new CommandFailed(`✗ the configuration has no pool${where}; name those that the bill is for with --pool`)
  }
  const prices = new Map<string, TokenPrices>()
  const pricedBy = new Map<string, string>()
  for (const pool of pools) {
    const price = priceOf(loaded, pool)
    if (!price)
      throw new CommandFailed(`✗ pool ${pool.name} has no cost_usd_per_1m; add it, or leave the pool out with --pool`)
    const before = prices.get(pool.model)
    if (before && !isSame(before, price)) {
      const both = `${pricedBy.get(pool.model)} and ${pool.name}`
      throw new CommandFailed(
        `✗ pools ${both} run ${pool.model} at different costs; choose the ones of this bill with --pool`,
      )
    }
    prices.set(pool.model, price)
    pricedBy.set(pool.model, pool.name)
  }
  return { pools, prices }
}

function isAt(pool: Pool, providers: readonly ProviderName[] | undefined): boolean {
  const provider = providerOf(pool)
  return provider !== undefined && (providers === undefined || providers.includes(provider))
}

export const providerOf = (pool: Pool): ProviderName | undefined => pool.provider.name ?? impliedBy(pool.replicas)

/** The cost of a pool; without one, the price of the first model that it serves. */
function priceOf({ config, settings }: Loaded, pool: Pool): TokenPrices | undefined {
  const cost = settings.backends.get(pool.name)?.cost
  if (cost) return tokenPrices(cost)
  for (const model of config.models.values())
    if (model.kind !== 'passthrough' && model.serve.includes(pool) && 'price' in model && model.price)
      return tokenPrices(model.price)
  return undefined
}

/** Nano-USD for 1,000 tokens are thousandths of a nano-USD for one. */
function tokenPrices(price: Price): TokenPrices {
  const { input, output, cachedInput = input, cacheWrite = input, ...rest } = withCacheWrites(price, '1h')
  const [cache_write, cache_write_1h] = [BigInt(cacheWrite), BigInt(rest.cacheWrite1h ?? cacheWrite)]
  return { input: BigInt(input), cached: BigInt(cachedInput), cache_write, cache_write_1h, output: BigInt(output) }
}

const isSame = (a: TokenPrices, b: TokenPrices): boolean =>
  Object.keys(a).every(kind => a[kind as keyof TokenPrices] === b[kind as keyof TokenPrices])

/**
 * Finds the model of pools for the name that a bill has: as the operator maps it, by the same name, or by the name without a date,
 * a version and a prefix of the cloud. A name that no model or several models have stays as it is.
 */
export function modelFinder(
  models: readonly string[],
  mapped: ReadonlyMap<string, string>,
): (billed: string) => string {
  const found = new Map<string, string>()
  const find = (billed: string): string => {
    const given = mapped.get(billed)
    if (given !== undefined) return given
    if (models.includes(billed)) return billed
    const [same, ...others] = models.filter(model => plainName(model) === plainName(billed))
    return same !== undefined && others.length === 0 ? same : billed
  }
  return billed => {
    const model = found.get(billed) ?? find(billed)
    found.set(billed, model)
    return model
  }
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `Claude Sonnet 4.5` as `claude-sonnet-4-5`. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai|amazon|meta|mistral)[./]/, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, '')
    .replace(/-latest$/, '')
    .replaceAll(/[\s._]+/g, '-')
