import type { EpochMs } from '../../policy/config.ts'
import { oneLine } from '../../wire/printable.ts'
import { COUNTS, type Counts, type PlanTouched, type RequestsTouched } from './touched-requests.ts'
import type { AccountsTouched, Touches } from './touches.ts'

interface Kind {
  readonly kind: Exclude<keyof Counts, 'requests' | 'unasked'>
  readonly one: string
  readonly many: string
}

const KINDS: readonly Kind[] = [
  { kind: 'refused', one: 'newly refused', many: 'newly refused' },
  { kind: 'allowed', one: 'newly allowed', many: 'newly allowed' },
  { kind: 'rerouted', one: 'goes to another model', many: 'go to another model' },
  { kind: 'moved', one: 'moves to another pool', many: 'move to another pool' },
  { kind: 'undeterminable', one: 'cannot be decided again', many: 'cannot be decided again' },
]
/** Of one kind of change, by name. */
const MOST_PLANS = 4

/** As people read them: a line for each plan that changes, one for all recorded requests, and what is to be known. */
export function touchesLines({ accounts = [], requests }: Touches): readonly string[] {
  return [...accountLines(accounts), ...(requests ? [requestsText(requests), ...notes(requests)] : [])]
}

function accountLines(touched: readonly AccountsTouched[]): readonly string[] {
  const width = Math.max(0, ...touched.map(({ accounts }) => thousands(accounts).length))
  return touched.map(({ plan, accounts, gone }) => {
    const noun = accounts === 1 ? 'account' : 'accounts'
    return `${thousands(accounts).padStart(width)} ${noun} on plan ${oneLine(plan)}${gone ? ', which is gone' : ''}`
  })
}

function requestsText(touched: RequestsTouched): string {
  const { requests, since, onlyNewest, plans } = touched
  if (requests === 0) return 'no request was recorded yet'
  const told = KINDS.flatMap(({ kind, one, many }) => {
    const count = touched[kind]
    return count > 0 ? [`${thousands(count)} ${count === 1 ? one : many} (${plansText(plans, kind)})`] : []
  })
  const what = `${onlyNewest ? 'the newest ' : ''}${thousands(requests)} ${requests === 1 ? 'request' : 'requests'}`
  const from = since === undefined ? '' : ` since ${secondText(since)}`
  return `of ${what}${from}: ${told.join(', ') || 'none is decided otherwise'}`
}

/** `free 310, pro 2`: most first. */
function plansText(plans: readonly PlanTouched[], kind: Kind['kind']): string {
  const some = plans.filter(plan => plan[kind] > 0).sort((a, b) => b[kind] - a[kind])
  const named = some.slice(0, MOST_PLANS).map(plan => `${oneLine(plan.plan)} ${thousands(plan[kind])}`)
  return [...named, ...(some.length > MOST_PLANS ? [`${some.length - MOST_PLANS} more plans`] : [])].join(', ')
}

function notes({ undeterminable, unasked, broken }: RequestsTouched): readonly string[] {
  return [
    undeterminable > 0 ? 'what cannot be decided again depends on texts or headers that were not looked at then' : '',
    unasked > 0 ? `whether the limits have room for ${thousands(unasked)} of those allowed is not known` : '',
    broken > 0 ? `${thousands(broken)} broken ${broken === 1 ? 'line was' : 'lines were'} skipped` : '',
  ].filter(Boolean)
}

const thousands = (count: number): string => count.toLocaleString('en-US')

const secondText = (at: EpochMs): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** As programs read them; null for a number that could not be counted. */
export const touchesRecord = ({ accounts, requests }: Touches): object => ({
  accounts: accounts ?? null,
  requests: requests ? requestsRecord(requests) : null,
})

const requestsRecord = (touched: RequestsTouched): object => ({
  ...countsRecord(touched),
  since: touched.since === undefined ? null : new Date(touched.since).toISOString(),
  only_newest: touched.onlyNewest,
  broken_lines: touched.broken,
  plans: touched.plans.map(plan => ({ plan: plan.plan, ...countsRecord(plan) })),
})

const countsRecord = (counts: Counts): object => Object.fromEntries(COUNTS.map(count => [count, counts[count]]))
