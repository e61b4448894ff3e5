import { Names } from './names.ts'

/** A plan as it is written. */
export interface Plan {
  readonly models: 'all' | readonly string[]
  readonly rpm: number | string
  readonly tpm: number | string
  readonly monthly_usd: number
  readonly max_concurrent?: number
  readonly limits?: readonly object[]
}

/** More than a gateway serves, where it has no limit and a plan needs one. */
export const FREE = { rpm: '10k', tpm: '100M', monthly_usd: 10_000 }

/** Plans by their names: one for each set of limits, with the commands that mint its keys above it. */
export class Plans {
  readonly plans: Record<string, Plan>
  readonly notes = new Map<string, readonly string[]>()
  readonly #names = new Names()

  constructor(own: Plan, gateway: string) {
    this.plans = { [this.#names.next('default')]: own }
    if (isFree(own)) this.notes.set('default', [`${gateway} had no limit for keys: write what yours may have.`])
  }

  /** Notes a key that is to be minted. */
  mint(plan: Plan, account: string, alias?: string): void {
    const same = Object.keys(this.plans).find(name => JSON.stringify(this.plans[name]) === JSON.stringify(plan))
    const name = same ?? this.#names.next(alias ?? 'keys')
    this.plans[name] = plan
    const mint = `svcctl keys mint --plan ${name} --account ${word(account)}${alias === undefined ? '' : ` --name ${word(alias)}`}`
    this.notes.set(name, [...(this.notes.get(name) ?? []), mint])
  }
}

const isFree = ({ rpm, tpm, monthly_usd, limits }: Plan): boolean =>
  rpm === FREE.rpm && tpm === FREE.tpm && monthly_usd === FREE.monthly_usd && !limits

/** Words of a command that is to be pasted. */
const word = (text: string): string => (/^[\w@.:/-]+$/.test(text) ? text : `'${text.replace(/[^\w@.:/ -]/g, '-')}'`)

/** A budget and its window. A plan has months; other windows are limits beside it. */
export function budgetOf(
  usd: number | undefined,
  duration: string | undefined,
): { monthly: number; readonly why?: string } | { limit: object } | { why: string } | undefined {
  if (usd === undefined) return undefined
  if (usd < 0.000001) return { why: 'a budget of nothing: freeze the account in place of it' }
  if (duration === undefined) return { monthly: usd, why: 'it had no end; here it begins anew each month' }
  const per = windowOf(duration)
  if (per === 'month') return { monthly: usd }
  return per === undefined ? { why: `no limit has a window of ${duration}` } : { limit: { usd, per } }
}

/** The window of a limit, by a duration such as `1h` or `7d`; undefined where no limit has it. */
export function windowOf(duration: string): string | undefined {
  const [, count = '', unit = ''] = /^(\d+)(s|m|h|d|w|mo|M)$/.exec(duration) ?? []
  if (unit === 'mo' || unit === 'M') return count === '1' ? 'month' : undefined
  const seconds = Number(count) * ({ s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 }[unit] ?? 0)
  if (seconds === 60) return 'minute'
  if (seconds === 3600) return 'hour'
  return seconds > 0 && seconds % 86_400 === 0 && seconds <= 90 * 86_400 ? `${seconds / 86_400}d` : undefined
}
