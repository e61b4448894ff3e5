/** Decimal US dollars as an exact integer of billionths: no double is between. Undefined of nothing, and of what is none. */
export function nanoUsdOf(usd: string): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(usd) ?? []
  const nano = Number(whole + fraction.padEnd(9, '0'))
  return whole !== '' && nano > 0 ? nano : undefined
}

/** The pattern of a field that `nanoUsdOf` reads. */
export const USD_PATTERN = '\\d{1,6}(\\.\\d{1,9})?'

/** A count of at least 1. */
export const COUNT_PATTERN = '[1-9]\\d{0,14}'
