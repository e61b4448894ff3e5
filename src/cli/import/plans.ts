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

/** Stands in a plan for a limit that cannot be written, so that the plan is not open without it. */
const NEXT_TO_NOTHING = { requests: 1, per: '90d' }

/** Plans by their names: one for each set of limits, with the commands that mint its keys above it. */
export class Plans {
  readonly plans: Record<string, Plan> = {}
  readonly notes = new Map<string, readonly string[]>()
  readonly #names = new Names()
  /** What is the same for two keys that share a plan. */
  readonly #terms = new Map<string, string>()

  readonly #gateway: string

  /** `lost` are limits of the source that the plan `default` would need, and that cannot be written. */
  constructor(own: Terms, gateway: string, lost: readonly string[] = []) {
    this.#gateway = gateway
    this.#put('default', own, lost)
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
  #put(text: string, own: Terms, lost: readonly string[] = []): string {
    const name = this.#names.next(text)
    const terms = lost.length === 0 ? own : { ...own, limits: [...(own.limits ?? []), NEXT_TO_NOTHING] }
    const { models, rpm, tpm, monthly_usd, ...more } = terms
    this.#terms.set(name, JSON.stringify({ ...FREE, ...terms }))
    this.plans[name] = {
      ...{ models, rpm: rpm ?? FREE.rpm, tpm: tpm ?? FREE.tpm, monthly_usd: monthly_usd ?? FREE.monthly_usd },
      ...more,
    }
    const made = Object.keys(FREE).filter(field => terms[field as keyof typeof FREE] === undefined)
    const had = lost.length > 0 ? 'A plan needs' : `${this.#gateway} had no limit for`
    const notes = [
      ...(lost.length > 0
        ? [`${lost.join(', ')} of these keys cannot be written: one request in 90 days stands for it.`]
        : []),
      ...(made.length > 0 ? [`${had} ${made.join(', ')} of these keys: write what they may have.`] : []),
    ]
    if (notes.length > 0) this.notes.set(name, notes)
    return name
  }
}

/** Words of a command that is to be pasted. */
const word = (text: string): string => (/^[\w@.:/-]+$/.test(text) ? text : `'${text.replace(/[^\w@.:/ -]/g, '-')}'`)
