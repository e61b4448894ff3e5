import type { BillLine, LedgerUse, TokenKind, TokenPrices } from '../../../../src/policy/billing/bill/bill.ts'
import type { ReconcileInput } from '../../../../src/policy/billing/bill/reconcile.ts'

/** The causes that a generated bill can have. */
export const PLANTS = [
  'price_drift',
  'cache_kinds',
  'late_usage',
  'failed_attempts',
  'past_the_gateway',
  'time_zone',
] as const
export type Plant = (typeof PLANTS)[number]

export interface PlantedBill {
  readonly input: ReconcileInput
  /** The amount of each cause in nano-USD, added up request by request. */
  readonly planted: Readonly<Record<Plant, bigint>>
}

const DAY = 86_400_000
const FIRST = Date.UTC(2026, 9, 20)
const DAYS = 14
const KINDS: readonly TokenKind[] = ['input', 'cached', 'cache_write', 'cache_write_1h', 'output']

/** Thousandths of a nano-USD for a token. */
const pricesOf = (input: bigint): TokenPrices => ({
  ...{ input, cached: input / 10n, cache_write: (input * 5n) / 4n, cache_write_1h: input * 2n, output: input * 5n },
})

export const PRICES: ReadonlyMap<string, TokenPrices> = new Map([
  ['large', pricesOf(4_000_000n)],
  ['small', pricesOf(400_000n)],
  ['tiny', pricesOf(80_000n)],
])

interface Used {
  readonly began: number
  readonly ended: number
  readonly model: string
  readonly tokens: Record<TokenKind, number>
  readonly isFailed: boolean
}

/** A small generator of equal numbers for equal seeds. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const DRIFTED = { model: 'small', kind: 'output', price: 2_500_000n }
const known = (model: string, kind: TokenKind) => PRICES.get(model)?.[kind] ?? 0n
const utcDay = (at: number) => new Date(at).toISOString().slice(0, 10)
const BILLED_DAYS = Array.from({ length: DAYS }, (_, day) => utcDay(FIRST + day * DAY))

/** The bill of a provider and the ledger of a gateway for two weeks, in whose first one Europe's summer time ends. */
export function plantedBill(seed: number, plants: readonly Plant[], hasTokens: boolean): PlantedBill {
  const random = numbersFrom(seed)
  const provider = new Provider(plants, random)
  const uses = requests(random, plants).flatMap(use => KINDS.map(kind => provider.serve(use, kind)))
  if (plants.includes('past_the_gateway')) for (const line of past(random)) provider.serveOthers(...line)
  const lines = provider.lines().map(({ tokens = 0, ...line }) => (hasTokens ? { ...line, tokens } : line))
  return { input: { lines, uses, prices: PRICES }, planted: provider.planted }
}

/** Bills requests as its causes have it, and adds up what each of them changes. */
class Provider {
  readonly #plants: readonly Plant[]
  readonly #format: Intl.DateTimeFormat
  readonly #billed = new Map<string, { day: string; model: string; kind: TokenKind; tokens: number }>()
  readonly #changed = new Map<Plant, bigint>()

  constructor(plants: readonly Plant[], random: (below: number) => number) {
    this.#plants = plants
    const zone = ['America/Los_Angeles', 'Europe/Berlin', 'Asia/Tokyo'][random(3)]
    const timeZone = plants.includes('time_zone') ? zone : 'UTC'
    this.#format = new Intl.DateTimeFormat('sv-SE', { ...(timeZone && { timeZone }), dateStyle: 'short' })
  }

  /** In nano-USD. */
  get planted(): Record<Plant, bigint> {
    return Object.fromEntries(PLANTS.map(plant => [plant, (this.#changed.get(plant) ?? 0n) / 1000n])) as Record<
      Plant,
      bigint
    >
  }

  /** Bills one kind of tokens of a request, and returns what the ledger has of them. */
  serve(use: Used, kind: TokenKind): LedgerUse {
    const tokens = use.tokens[kind]
    // A gateway that was told nothing of caches counts all of them as other input.
    const isHidden = this.#has('cache_kinds') && use.model === 'large' && kind === 'cached'
    const recorded = isHidden ? 'input' : kind
    const last = this.#has('late_usage') ? use.ended : use.began
    const day = this.#format.format(last)
    this.#bill(day, use.model, kind, tokens)
    const amount = BigInt(tokens) * known(use.model, recorded)
    if (use.isFailed) this.#change('failed_attempts', day, amount)
    else {
      this.#change('cache_kinds', day, BigInt(tokens) * known(use.model, kind) - amount)
      this.#change('late_usage', utcDay(last), amount)
      this.#change('late_usage', utcDay(use.began), -amount)
      this.#change('time_zone', day, amount)
      this.#change('time_zone', utcDay(last), -amount)
    }
    return { ...use, kind: recorded, tokens, isEstimated: false }
  }

  /** Bills tokens that did not pass the gateway. */
  serveOthers(day: string, model: string, kind: TokenKind, tokens: number): void {
    this.#bill(day, model, kind, tokens)
    this.#change('past_the_gateway', day, BigInt(tokens) * (known(model, kind) || paid(model, kind)))
  }

  lines(): readonly BillLine[] {
    return [...this.#billed.values()].map(line => ({
      ...line,
      amount: (BigInt(line.tokens) * this.#paid(line.model, line.kind)) / 1000n,
      ...{ lines: 1, isElsewhere: false },
    }))
  }

  #has(plant: Plant): boolean {
    return this.#plants.includes(plant)
  }

  #paid(model: string, kind: TokenKind): bigint {
    const isDrifted = this.#has('price_drift') && model === DRIFTED.model && kind === DRIFTED.kind
    return isDrifted ? DRIFTED.price : paid(model, kind)
  }

  #change(plant: Plant, day: string, amount: bigint): void {
    if (BILLED_DAYS.includes(day)) this.#changed.set(plant, (this.#changed.get(plant) ?? 0n) + amount)
  }

  #bill(day: string, model: string, kind: TokenKind, tokens: number): void {
    if (!BILLED_DAYS.includes(day) || tokens === 0) return
    const key = `${day} ${model} ${kind}`
    this.#billed.set(key, { day, model, kind, tokens: (this.#billed.get(key)?.tokens ?? 0) + tokens })
    if (PRICES.has(model))
      this.#change('price_drift', day, BigInt(tokens) * (this.#paid(model, kind) - known(model, kind)))
  }
}

/** The price of a model that no pool runs is the provider's secret. */
const paid = (model: string, kind: TokenKind): bigint => (PRICES.has(model) ? known(model, kind) : 7000n)

/** Requests from two days before the bill to two days after it; where they are planted, some failed. */
function requests(random: (below: number) => number, plants: readonly Plant[]): readonly Used[] {
  const quarter = 900_000
  return Array.from({ length: 400 }, (_, at) => {
    const began = FIRST - 2 * DAY + random(((DAYS + 4) * DAY) / quarter) * quarter
    const isLate = plants.includes('late_usage') && random(4) === 0
    const ended = began + (isLate ? quarter * (1 + random(20)) : 0)
    const model = ['large', 'small', 'tiny'][random(3)] ?? 'tiny'
    const isFailed = plants.includes('failed_attempts') && at % 13 === 0
    const [input, output] = [1000 + random(9000), random(3000)]
    const [cached, cache_write, cache_write_1h] = isFailed ? [0, 0, 0] : [random(5000), random(900), random(300)]
    return {
      began,
      ended: isFailed ? began : ended,
      model,
      isFailed,
      tokens: { input, cached, cache_write, cache_write_1h, output },
    }
  })
}

/** Traffic of a script that has the provider's key, and of a model that no pool runs. */
const past = (random: (below: number) => number): (readonly [string, string, TokenKind, number])[] =>
  BILLED_DAYS.filter((_, day) => day === 0 || random(4) === 0).flatMap(day => [
    [day, 'tiny', 'input', 1000 + random(100_000)],
    [day, 'tiny', 'output', 1000 + random(10_000)],
    [day, 'unheard-of', 'output', 1000 * (1 + random(10))],
  ])
