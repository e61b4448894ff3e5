import type { ComponentChildren } from 'preact'

export const about = 'Your quota for this month, and your invoices.'
export const allotted = 'Plan allowance'
export const granted = 'Extra credit'
export const used = 'Used'
export const held = 'Reserved by running requests'
export const past = 'Overage'
export const anew = 'Resets'
export const servedUpTo = (usd: string) => `served, up to ${usd} more`
export const served = 'served'
export const refused = 'refused'
export const spent = 'When the quota is spent'
export const whatThen = {
  refused: (errors: (text: string) => ComponentChildren) => (
    <>Requests are refused with {errors('status 402')} until the quota resets or is raised.</>
  ),
  servedUpTo: (usd: string, errors: (text: string) => ComponentChildren) => (
    <>
      Requests are still served at the same prices, up to {usd} more. Then they are refused with {errors('status 402')}{' '}
      until the quota resets or is raised.
    </>
  ),
  served: 'Requests are still served at the same prices: your plan sets no limit on overage.',
}
export const byModel = (overview: (text: string) => ComponentChildren) => (
  <>Spend by day, model and key, also as CSV: {overview('usage of the last 30 days')}.</>
)
export const more = 'Get more'
export const noInvoices = 'No usage yet. Your first request starts your first invoice.'
