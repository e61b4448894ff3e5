import type { Price } from '../../policy/config.ts'
import type { CacheWriteSection } from '../file.ts'
import { unitOf } from '../model/units.ts'

/** Prices of tokens as files have them, in US dollars for a million. */
export interface WrittenPrices {
  readonly input: number | string
  readonly output?: number | string | undefined
  readonly cached_input?: number | string | undefined
  readonly cache_write?: CacheWriteSection | undefined
}

export function pricesOf(written: WrittenPrices): Price {
  const { input, output = 0, cached_input: cachedInput, cache_write: cacheWrite } = written
  return {
    input: unitOf('price', input),
    output: unitOf('price', output),
    ...(cachedInput !== undefined && { cachedInput: unitOf('price', cachedInput) }),
    ...writesOf(cacheWrite),
  }
}

function writesOf(written: WrittenPrices['cache_write']): Pick<Price, 'cacheWrite' | 'cacheWrite1h'> {
  if (written === undefined) return {}
  if (typeof written !== 'object') return { cacheWrite: unitOf('price', written) }
  return { cacheWrite: unitOf('price', written['5m']), cacheWrite1h: unitOf('price', written['1h']) }
}
