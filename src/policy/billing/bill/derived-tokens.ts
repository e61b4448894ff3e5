import type { BillLine, DerivedPrice, PicoUsd, TokenKind, TokenPrices } from './bill.ts'
import { cellKey, type Tokens } from './days.ts'

interface DeriveInput {
  readonly lines: readonly BillLine[]
  readonly used: Tokens
  readonly prices: ReadonlyMap<string, TokenPrices>
  readonly listed: ReadonlyMap<string, Partial<TokenPrices>>
}

/**
 * The tokens of each line. A line that has an amount alone gets those that the amount pays at one price for its model and kind:
 * of the configured price, the listed one and the price that most days themselves show, the one by which most days agree with the
 * ledger, the first of equals.
 */
export function derivedTokens({ lines, used, prices, listed }: DeriveInput): {
  readonly tokens: ReadonlyMap<BillLine, number>
  readonly derived: readonly DerivedPrice[]
} {
  const tokens = new Map<BillLine, number>()
  const open = new Map<string, { model: string; kind: TokenKind; lines: BillLine[] }>()
  for (const line of lines) {
    if (line.tokens !== undefined || line.kind === undefined) tokens.set(line, line.tokens ?? 0)
    else if (prices.has(line.model) && !line.isElsewhere) {
      const key = cellKey('', line.model, line.kind)
      const found = open.get(key) ?? { model: line.model, kind: line.kind, lines: [] }
      found.lines.push(line)
      open.set(key, found)
    }
  }
  const derived: DerivedPrice[] = []
  for (const { model, kind, lines: alike } of open.values()) {
    const candidates = candidatesOf(alike, used, prices.get(model)?.[kind] ?? 0n, listed.get(model)?.[kind])
    const [best] = candidates
      .map(candidate => ({ ...candidate, apart: apartAt(alike, used, candidate.price) }))
      .filter(({ by, apart }) => by !== 'days' || apart.agreeing * 5 >= Math.max(2, alike.length) * 3)
      .sort((a, b) => b.apart.agreeing - a.apart.agreeing || a.apart.tokens - b.apart.tokens)
    if (!best) continue
    derived.push({ model, kind, price: best.price, by: best.by })
    for (const line of alike) tokens.set(line, tokensFor(line, best.price))
  }
  return { tokens, derived }
}

interface Candidate {
  readonly price: PicoUsd
  readonly by: DerivedPrice['by']
}

function candidatesOf(
  lines: readonly BillLine[],
  used: Tokens,
  configured: PicoUsd,
  listed: PicoUsd | undefined,
): readonly Candidate[] {
  const shown = shownByDays(lines, used)
  const all: readonly (Candidate | undefined)[] = [
    { price: configured, by: 'configured' },
    listed === undefined ? undefined : { price: listed, by: 'listed' },
    shown === undefined ? undefined : { price: shown, by: 'days' },
  ]
  return all.filter(candidate => candidate !== undefined && candidate.price > 0n) as readonly Candidate[]
}

/** The median of what a token of the ledger costs by each day's amount; undefined with fewer than two days. */
function shownByDays(lines: readonly BillLine[], used: Tokens): PicoUsd | undefined {
  const prices = lines.flatMap(line => {
    const count = BigInt(used.get(cellKey(line.day, line.model, line.kind)) ?? 0)
    return count > 0n ? [(line.amount * 1000n + count / 2n) / count] : []
  })
  if (prices.length < 2) return undefined
  return prices.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[prices.length >> 1]
}

function apartAt(lines: readonly BillLine[], used: Tokens, price: PicoUsd) {
  let agreeing = 0
  let tokens = 0
  for (const line of lines) {
    const apart = Math.abs(tokensFor(line, price) - (used.get(cellKey(line.day, line.model, line.kind)) ?? 0))
    if (apart === 0) agreeing++
    tokens += apart
  }
  return { agreeing, tokens }
}

/** The tokens that an amount pays, to the nearest one. */
const tokensFor = ({ amount }: BillLine, price: PicoUsd): number =>
  price === 0n ? 0 : Number((amount * 1000n + (amount < 0n ? -price : price) / 2n) / price)
