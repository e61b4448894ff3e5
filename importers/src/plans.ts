import { pushTo } from './lists.ts'
import { Names, Numbers } from './names.ts'
import type { Report } from './report.ts'
import type { Left } from './section.ts'

/** A plan as it is written. */
export interface Plan {
  readonly models: 'all' | readonly string[]
  readonly rpm: number | string
  readonly tpm: number | string
  readonly monthly_usd: number
  readonly max_concurrent?: number
  readonly limits?: readonly object[]
}

/** The terms of a plan in another gateway. */
export type Terms = Pick<Plan, 'models'> & Partial<Plan>

/** More than a gateway serves, where it has no limit and a plan needs one. */
const FREE = { rpm: '10k', tpm: '100M', monthly_usd: 10_000 }

/** Stands in a plan for a limit that cannot be written, so that the plan is not open without it. */
const NEXT_TO_NOTHING = { requests: 1, per: '90d' }

/** Plans by their names: one for each set of limits, with the commands that mint its keys above it. */
export class Plans {
  readonly plans: Record<string, Plan> = {}
  readonly #notes = new Map<string, string[]>()
  readonly #left: (readonly [plan: string, left: Left])[] = []
  /** The plan of each account: it has one, and the newest key would change it for all. */
  readonly #accounts = new Map<string, string>()
  readonly #names = new Names()
  /** The first plan of what is the same for two keys that share one. */
  readonly #byTerms = new Map<string, string>()
  readonly #numbers = new Numbers()

  readonly #gateway: string

  /** `lost` are limits of the source that the plan `default` would need, and that cannot be written. */
  constructor(own: Terms, gateway: string, lost: readonly string[] = []) {
    this.#gateway = gateway
    this.#put('default', own, lost)
  }

  /** Notes a key that is to be minted. It has an account of its own where `account` has another plan. */
  mint(terms: Terms, account: string, { path, name: alias, life }: Key): void {
    const whole = JSON.stringify({ ...FREE, ...terms })
    const name = this.#byTerms.get(whole) ?? this.#put(alias ?? 'keys', terms)
    const owner = this.#ownerOn(name, account, alias)
    const before = this.#accounts.get(account)
    if (owner !== account) {
      const why = `\`${account}\` has the plan ${before}, and an account has one: the account of this key is \`${owner}\``
      this.#left.push([name, { path, why }])
    } else if (before !== undefined && hasLimits(terms))
      this.#left.push([name, { path, why: `all keys of \`${account}\` share the limits of its plan` }])
    this.#accounts.set(owner, name)
    const named = alias === undefined ? '' : ` --name ${word(alias)}`
    const mint = `svcctl keys mint --plan ${name} --account ${word(owner)}${named}${life === undefined ? '' : ` --expires ${life}`}`
    pushTo(this.#notes, name, mint)
  }

  /** Writes what there is to say of each plan above it. */
  report(report: Report): void {
    for (const [plan, lines] of this.#notes) report.put(`plans/${plan}`, [], lines)
    for (const [plan, left] of this.#left) report.put(`plans/${plan}`, [left])
  }

  /** The account for a key on a plan: the one that it had, or else one that has no other plan. */
  #ownerOn(plan: string, account: string, alias = ''): string {
    const isFree = (name: string) => (this.#accounts.get(name) ?? plan) === plan
    if (isFree(account)) return account
    const own = alias === '' || alias === account ? account : `${account}-${alias}`
    return isFree(own) ? own : this.#numbers.next(own, '-', isFree)
  }

  /** A plan needs each of the three, and a comment says what was made up for it. */
  #put(text: string, own: Terms, lost: readonly string[] = []): string {
    const name = this.#names.next(text)
    const terms = lost.length === 0 ? own : { ...own, limits: [...(own.limits ?? []), NEXT_TO_NOTHING] }
    const { models, rpm, tpm, monthly_usd, ...more } = terms
    const whole = JSON.stringify({ ...FREE, ...terms })
    if (!this.#byTerms.has(whole)) this.#byTerms.set(whole, name)
    this.plans[name] = {
      ...{ models, rpm: rpm ?? FREE.rpm, tpm: tpm ?? FREE.tpm, monthly_usd: monthly_usd ?? FREE.monthly_usd },
      ...more,
    }
    const made = Object.keys(FREE).filter(field => terms[field as keyof typeof FREE] === undefined)
    const had = lost.length > 0 ? 'A plan needs' : `${this.#gateway} had no limit for`
    const notes = [
      ...(lost.length > 0
        ? [`${lost.join(', ')} of these keys cannot be imported: one request per 90 days replaces it.`]
        : []),
      ...(made.length > 0 ? [`${had} ${made.join(', ')} of these keys: add their limits.`] : []),
    ]
    if (notes.length > 0) this.#notes.set(name, notes)
    return name
  }
}

/** A key in the source: where it stands, what it is called, and how long it lives where that is known. */
interface Key {
  readonly path: string
  readonly name?: string | undefined
  readonly life?: string
}

/** Whether terms have limits of an account. */
const hasLimits = ({ models: _, limits = [], ...fields }: Terms): boolean =>
  Object.keys(fields).length > 0 || limits.some(limit => !('of' in limit))

/** Words of a command that is to be pasted. */
const word = (text: string): string => (/^[\w@.:/-]+$/.test(text) ? text : `'${text.replace(/[^\w@.:/ -]/g, '-')}'`)
