import type { ComponentChildren } from 'preact'
import { day } from '../../shared/fmt.ts'

export const about = 'What your account may spend this month, and its invoices.'
export const allotted = 'Plan allowance'
export const granted = 'Extra credit'
export const used = 'Used'
export const held = 'Reserved by running requests'
export const past = 'Overage'
export const anew = 'Resets'
export const anewAt = (at: string) => `${day(at)}, 00:00 UTC`
export const servedUpTo = (usd: string) => `served, up to ${usd} more`
export const served = 'served'
export const refused = 'refused'
export const spent = 'When it is spent'
export const whatThen = {
  refused: (errors: (text: string) => ComponentChildren) => (
    <>
      Requests are refused with status 402 until the window begins anew, or until there is more quota. What that error
      says is among the {errors('errors')}.
    </>
  ),
  servedUpTo: (usd: string, errors: (text: string) => ComponentChildren) => (
    <>
      Requests are still served at the same prices, up to {usd} more. Then they are refused with status 402 until the
      window begins anew, or until there is more quota. What that error says is among the {errors('errors')}.
    </>
  ),
  served: 'Requests are still served at the same prices: your plan sets no end to what you may spend.',
}
export const byModel = (overview: (text: string) => ComponentChildren) => (
  <>What was spent by day and by model, also as a file, is in the {overview('usage of 30 days')}.</>
)
export const more = 'Get more'
export const invoices = 'Invoices'
export const noInvoices = 'No usage yet. The first request begins your first invoice.'
export const month = 'Month'
export const monthOf = (text: string) => monthFormat.format(new Date(`${text}-01`))
export const invoiceOf = (text: string) => {
  const at = Date.parse(`${text}-01`)
  return Number.isNaN(at) ? 'Invoice' : `Invoice for ${monthFormat.format(at)}`
}
export const state = 'State'
export const states = { running: 'running', closing: 'closing', issued: 'issued' }
export const issuedOn = (text: string) => `issued ${text}`
export const number = 'Number'
export const requests = 'Requests'
export const amount = 'Amount'
export const account = 'Account'
export const plan = 'Plan'
export const seller = 'Seller'
export const forecast = 'Forecast'
export const forecastMethod = 'Usage so far, and for each day left the average of the last seven full days.'
export const nothing = 'Nothing was charged.'
export const lines = 'Lines'
export const model = 'Model'
export const charged = 'Charged for'
export const quantity = 'Quantity'
export const unitPrice = 'Unit price'
export const kinds = {
  input: 'input tokens',
  cached: 'cached input tokens',
  cache_write: 'cache write tokens',
  cache_write_1h: 'cache write tokens, 1 h',
  output: 'output tokens',
  image: 'images',
  metered: 'calls, time or traffic',
  other: 'usage without recorded prices',
}
export const toolCalls = 'hosted tool calls'
export const each = (usd: string) => `${usd} each`
export const perMillion = (usd: string) => `${usd} per 1M`
export const usage = 'Usage of the month'
export const late = (of: string, after: string) => `Late usage of ${monthOf(of)} (after ${after})`
export const total = 'Total'
export const fromAllowance = (usd: string) => `Plan allowance (${usd})`
export const fromCredit = (usd: string) => `Extra credit (${usd})`
export const rounding = {
  cent: 'Totals are rounded to the nearest cent. Lines are rounded by the largest remainder, so they add up to their total.',
  exact: 'Amounts are exact. Each request is rounded up to a billionth of a dollar.',
}
export const print = 'Print'
export const saveCsv = 'Save as CSV'
export const savePage = 'Save as a page'

const monthFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', month: 'long', year: 'numeric' })
