export {
  FORECAST_METHOD as forecastMethod,
  KIND_WORDS as kinds,
  ROUNDING_WORDS as rounding,
} from '../../../../src/wire/invoice/words.ts'

const monthFormat = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', month: 'long', year: 'numeric' })

export const monthOf = (text: string) => monthFormat.format(new Date(`${text}-01`))
export const invoiceOf = (text: string) => {
  const at = Date.parse(`${text}-01`)
  return Number.isNaN(at) ? 'Invoice' : `Invoice for ${monthFormat.format(at)}`
}
export const invoices = 'Invoices'
export const month = 'Month'
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
export const nothing = 'Nothing was charged.'
export const lines = 'Lines'
export const model = 'Model'
export const charged = 'Charged for'
export const quantity = 'Quantity'
export const unitPrice = 'Unit price'
export const toolCalls = 'hosted tool calls'
export const each = (usd: string) => `${usd} each`
export const perMillion = (usd: string) => `${usd} per 1M`
export const usage = 'Usage of the month'
export const late = (of: string, after: string) => `Late usage of ${monthOf(of)} (after ${after})`
export const total = 'Total'
export const fromAllowance = (usd: string) => `Plan allowance (${usd})`
export const fromCredit = (usd: string) => `Extra credit (${usd})`
export const overage = 'Overage'
export const print = 'Print'
export const saveCsv = 'Save as CSV'
export const savePage = 'Save as a page'
export const savedByCaches = 'Saved by caches, not charged'
