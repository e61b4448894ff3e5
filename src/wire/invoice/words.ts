// Words of invoices, alike on paper, in commands and in the console, which imports this module: it must run in a browser.
import type { Amount, ShownInvoice, ShownLine } from './shown-invoice.ts'

/** `October 2026` */
export const monthText = ({ month }: { readonly month: string }): string =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(month))

/** The days that an invoice is for, and their zone: `2026-10-26 to 2026-11-25, Europe/Berlin`, or `UTC`. */
export function periodText({ from, to, zone = 'UTC' }: Pick<ShownInvoice, 'from' | 'to' | 'zone'>): string {
  return from === undefined || to === undefined ? zone : `${from} to ${to}, ${zone}`
}

/** Units of lines, by kind. */
export const KIND_WORDS: Readonly<Record<ShownLine['kind'], string>> = {
  input: 'input tokens',
  cached: 'cached input tokens',
  cache_write: 'cache write tokens',
  cache_write_1h: 'cache write tokens, 1 h',
  output: 'output tokens',
  image: 'images',
  metered: 'calls, time or traffic',
  other: 'usage without recorded prices',
}

export const unitText = ({ kind, unit_price_usd: price }: ShownLine): string =>
  price === null ? '' : kind === 'image' ? `${price} each` : `${price} per 1M`

/** Why an invoice may still change; undefined once it is issued. */
export function stateText({ final, state }: Pick<ShownInvoice, 'final' | 'state'>): string | undefined {
  if (final) return undefined
  return state === 'running'
    ? 'Not issued yet: the month is still running.'
    : 'Not issued yet: the last requests of the month are being settled.'
}

/** How the amounts were rounded. */
export const roundingText = ({ round }: Pick<ShownInvoice, 'round'>): string => ROUNDING_WORDS[round]

export const ROUNDING_WORDS: Readonly<Record<ShownInvoice['round'], string>> = {
  cent: 'Totals are rounded to the nearest cent. Lines are rounded by the largest remainder, so they add up to their total.',
  exact: 'Amounts are exact. Each request is rounded up to a billionth of a dollar.',
}

export const FORECAST_METHOD =
  'Usage so far, and for each day left the average of the last seven full days (or of all full days this month).'

/** How the amount is covered, as names and US dollars. Empty where no allotment is known. */
export function coverageRows({ coverage }: Pick<ShownInvoice, 'coverage'>): readonly (readonly [string, string])[] {
  if (!coverage) return []
  const { allowance_usd, credit_usd, from_allowance_usd, from_credit_usd, overage_usd } = coverage
  return [
    [`Plan allowance ($${allowance_usd})`, from_allowance_usd],
    ...(credit_usd === '0' && from_credit_usd === '0'
      ? []
      : [[`Extra credit ($${credit_usd})`, from_credit_usd] as const]),
    ['Overage', overage_usd],
  ]
}

/** Usage of earlier months, as names and US dollars, and the sum of all where there is such usage. */
export const lateRows = ({ late }: Pick<ShownInvoice, 'late'>): readonly (readonly [string, Amount])[] =>
  late.map(each => [`Late usage of ${monthText(each)} (after ${each.number})`, each])

/** The savings of caches, which were never charged: `Caching saved $0.12: 40,000 input tokens …`; undefined where there are none. */
export const savedText = ({ total: { cached_tokens, saved_usd } }: ShownInvoice): string | undefined =>
  saved_usd === undefined
    ? undefined
    : `Caching saved $${saved_usd}: ${cached_tokens.toLocaleString('en')} input tokens were read from a cache.`
