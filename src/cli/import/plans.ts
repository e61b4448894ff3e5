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

/** What a gateway says of a plan. */
export type Terms = Pick<Plan, 'models'> & Partial<Plan>

/** More than a gateway serves, where it has no limit and a plan needs one. */
const FREE = { rpm: '10k', tpm: '100M', monthly_usd: 10_000 }

/** Plans by their names: one for each set of limits, with the commands that mint its keys above it. */
export class Plans {
  readonly plans: Record<string, Plan> = {}
  readonly notes = new Map<string, readonly string[]>()
  readonly #names = new Names()
  /** What is the same for two keys that share a plan. */
  readonly #terms = new Map<string, string>()

  readonly #gateway: string

  constructor(own: Terms, gateway: string) {
    this.#gateway = gateway
    this.#put('default', own)
  }

  /** Notes a key that is to be minted, and what it is called and how long it lives where that is known. */
  mint(terms: Terms, account: string, { name: alias, life }: { name?: string | undefined; life?: string } = {}): void {
    const whole = JSON.stringify({ ...FREE, ...terms })
    const same = Object.keys(this.plans).find(name => this.#terms.get(name) === whole)
    const name = same ?? this.#put(alias ?? 'keys', terms)
    const named = alias === undefined ? '' : ` --name ${word(alias)}`
    const mint = `svcctl keys mint --plan ${name} --account ${word(account)}${named}${life === undefined ? '' : ` --expires ${life}`}`
    this.notes.set(name, [...(this.notes.get(name) ?? []), mint])
  }

  /** A plan needs each of the three, and a comment says what was made up for it. */
  #put(text: string, terms: Terms): string {
    const name = this.#names.next(text)
    const { models, rpm, tpm, monthly_usd, ...more } = terms
    this.#terms.set(name, JSON.stringify({ ...FREE, ...terms }))
    this.plans[name] = {
      ...{ models, rpm: rpm ?? FREE.rpm, tpm: tpm ?? FREE.tpm, monthly_usd: monthly_usd ?? FREE.monthly_usd },
      ...more,
    }
    const made = Object.keys(FREE).filter(field => terms[field as keyof typeof FREE] === undefined)
    if (made.length > 0) {
      const why = `${this.#gateway} had no limit for ${made.join(', ')} of these keys: write what they may have.`
      this.notes.set(name, [why])
    }
    return name
  }
}

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
