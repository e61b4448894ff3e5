import {
  type BillLine,
  CAUSES,
  type Cause,
  type ComparedCell,
  type DerivedPrice,
  type LedgerUse,
  type NanoSum,
  type PicoUsd,
  type ReconciledBill,
  TOKEN_KINDS,
  type TokenKind,
  type TokenPrices,
} from './bill.ts'
import {
  type Calendar,
  calendarsOf,
  cellKey,
  compareFits,
  daysOf,
  fitOf,
  isBetter,
  type LaidOut,
  LEDGER_DAYS,
  layOut,
  type Tokens,
} from './days.ts'
import { derivedTokens } from './derived-tokens.ts'

export interface ReconcileInput {
  /** Each day, model and kind at most once for each value of `isElsewhere`, with tokens or without. */
  readonly lines: readonly BillLine[]
  /** From two days before the first day of the bill to two days after the last one. */
  readonly uses: readonly LedgerUse[]
  /** The keys are names of models that pools send. */
  readonly prices: ReadonlyMap<string, TokenPrices>
  /** The provider's own prices where the catalogue has them. */
  readonly listed?: ReadonlyMap<string, Partial<TokenPrices>>
}

/**
 * Puts a provider's bill beside the ledger and splits each difference by its causes. Amounts of causes and the unexplained rest
 * add up to the difference of every cell, and of the whole, to the nano-USD.
 */
export function reconcile(input: ReconcileInput): ReconciledBill {
  const { lines, uses, prices } = input
  const period = daysOf(lines)
  if (!period) return summed([], [], LEDGER_DAYS)
  const { calendar, derived, tokens } = bestCalendar(input, period)
  const layouts = {
    own: layOut(uses, period, LEDGER_DAYS),
    ended: layOut(uses, period, { by: calendar.by }),
    final: layOut(uses, period, calendar),
  }
  const cells = groupsOf(lines, layouts).flatMap(group => comparedGroup(group, layouts, prices, tokens))
  return summed(cells, derived, calendar)
}

/** The days that fit a bill best, and the tokens of its lines that have amounts alone. */
function bestCalendar(input: ReconcileInput, { first, last }: Period): Try {
  const own = triedAt(input, { first, last }, LEDGER_DAYS)
  if (own.fit.apart === 0) return own
  const tries = calendarsOf(first, last).map(calendar => triedAt(input, { first, last }, calendar))
  const [best = own] = tries
    .filter(({ fit }) => isBetter(fit, own.fit, last - first + 1))
    .sort((a, b) => compareFits(a.fit, b.fit))
  return best
}

type Period = NonNullable<ReturnType<typeof daysOf>>
type Try = ReturnType<typeof triedAt>

function triedAt({ lines, uses, prices, listed = new Map() }: ReconcileInput, period: Period, calendar: Calendar) {
  const laid = layOut(uses, period, calendar)
  const { derived, tokens } = derivedTokens({ lines, used: laid.used, prices, listed })
  const billed = new Map<string, number>()
  for (const line of lines) {
    if (line.isElsewhere || line.kind === undefined || !prices.has(line.model)) continue
    const key = cellKey(line.day, line.model, line.kind)
    billed.set(key, (billed.get(key) ?? 0) + (tokens.get(line) ?? 0))
  }
  return { calendar, derived, tokens, fit: fitOf(billed, laid) }
}

/** The ledger in its own days, in those days by the ends of requests where that fits the bill, and in the days of the bill. */
interface Layouts {
  readonly own: LaidOut
  readonly ended: LaidOut
  readonly final: LaidOut
}

/** All that bill and ledger have of one model and day. */
interface Group {
  readonly day: string
  readonly model: string
  readonly lines: readonly BillLine[]
}

function groupsOf(lines: readonly BillLine[], layouts: Layouts): readonly Group[] {
  const groups = new Map<string, { day: string; model: string; lines: BillLine[] }>()
  const groupAt = (day: string, model: string) => {
    const found = groups.get(`${day}\n${model}`) ?? { day, model, lines: [] }
    groups.set(`${day}\n${model}`, found)
    return found
  }
  for (const line of lines) groupAt(line.day, line.model).lines.push(line)
  for (const { used } of [layouts.own, layouts.ended, layouts.final]) {
    for (const key of used.keys()) {
      const [day = '', model = ''] = key.split('\n')
      groupAt(day, model)
    }
  }
  return [...groups.values()].sort((a, b) => compare(a.day, b.day) || compare(a.model, b.model))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Sums of one cell while its difference is being split; amounts in thousandths of a nano-USD. */
interface Draft {
  readonly kind: TokenKind
  readonly price: PicoUsd
  readonly billed: number
  /** Tokens that the bill has beyond the ledger and that no cause explains yet. */
  rest: number
  readonly causes: Map<Cause, PicoUsd>
}

const NANO = 1000n

function comparedGroup(
  { day, model, lines }: Group,
  layouts: Layouts,
  prices: ReadonlyMap<string, TokenPrices>,
  tokens: ReadonlyMap<BillLine, number>,
): readonly ComparedCell[] {
  const price = prices.get(model)
  const foreign = lines.filter(({ kind, isElsewhere }) => kind === undefined || isElsewhere || !price)
  const own = lines.filter(line => !foreign.includes(line))
  if (!price) return foreign.map(foreignCell)
  const drafts = TOKEN_KINDS.map(kind => draftOf({ day, model, kind }, own, layouts, price, tokens))
  const failed = tokensAt(layouts.final.failed, day, model)
  for (const isOutput of [false, true]) {
    const side = drafts.filter(({ kind }) => (kind === 'output') === isOutput)
    takeFailed(side, failed)
    moveBetweenKinds(side)
  }
  const estimated = tokensAt(layouts.final.estimated, day, model)
  for (const draft of drafts) takeRest(draft, estimated(draft.kind))
  const cells = drafts.flatMap(draft => cellOf({ day, model }, draft, own, layouts))
  return [...cells, ...foreign.map(foreignCell)]
}

const tokensAt = (tokens: Tokens, day: string, model: string) => (kind: TokenKind) =>
  tokens.get(cellKey(day, model, kind)) ?? 0

function draftOf(
  { day, model, kind }: { readonly day: string; readonly model: string; readonly kind: TokenKind },
  lines: readonly BillLine[],
  { own, ended, final }: Layouts,
  prices: TokenPrices,
  tokens: ReadonlyMap<BillLine, number>,
): Draft {
  const price = prices[kind]
  const ofKind = lines.filter(line => line.kind === kind)
  const billed = ofKind.reduce((sum, line) => sum + (tokens.get(line) ?? 0), 0)
  const [byOwn, byEnded, byFinal] = [own, ended, final].map(({ used }) => used.get(cellKey(day, model, kind)) ?? 0) as [
    number,
    number,
    number,
  ]
  const draft: Draft = { kind, price, billed, rest: billed - byFinal, causes: new Map() }
  note(draft, 'late_usage', byEnded - byOwn)
  note(draft, 'time_zone', byFinal - byEnded)
  const amount = ofKind.reduce((sum, line) => sum + line.amount * NANO, 0n)
  const drift = amount - BigInt(billed) * price
  // Each line of the bill was rounded once.
  const rounding = BigInt(ofKind.reduce((sum, line) => sum + line.lines, 0)) * NANO
  if (drift > rounding || drift < -rounding) draft.causes.set('price_drift', drift)
  return draft
}

/** Notes tokens at the configured price. */
function note({ causes, price }: Draft, cause: Cause, tokens: number): void {
  if (tokens !== 0) causes.set(cause, (causes.get(cause) ?? 0n) + BigInt(tokens) * price)
}

/** Takes tokens of failed attempts from the rests of one side, as far as the bill has more than the ledger there. */
function takeFailed(side: readonly Draft[], failed: (kind: TokenKind) => number): void {
  let open = Math.max(
    0,
    side.reduce((sum, { rest }) => sum + rest, 0),
  )
  for (const draft of side) {
    const taken = Math.min(open, failed(draft.kind))
    draft.rest -= taken
    open -= taken
    note(draft, 'failed_attempts', taken)
  }
}

/** Moves tokens that the bill has in one kind of input and the ledger in another. */
function moveBetweenKinds(side: readonly Draft[]): void {
  const sum = (sign: 1 | -1) => side.reduce((total, { rest }) => total + Math.max(0, sign * rest), 0)
  const moved = Math.min(sum(1), sum(-1))
  for (const sign of [1, -1] as const) {
    let open = moved
    for (const draft of side) {
      const taken = Math.min(open, Math.max(0, sign * draft.rest))
      draft.rest -= sign * taken
      open -= taken
      note(draft, 'cache_kinds', sign * taken)
    }
  }
}

/** Counts the rest as the error of estimates, as far as there are any, and what the bill has beyond that as other traffic. */
function takeRest(draft: Draft, estimated: number): void {
  const guessed = Math.sign(draft.rest) * Math.min(Math.abs(draft.rest), estimated)
  draft.rest -= guessed
  note(draft, 'estimates', guessed)
  if (draft.rest <= 0) return
  note(draft, 'past_the_gateway', draft.rest)
  draft.rest = 0
}

function cellOf(
  { day, model }: { readonly day: string; readonly model: string },
  draft: Draft,
  lines: readonly BillLine[],
  { own }: Layouts,
): readonly ComparedCell[] {
  const { kind, price, billed: billedTokens } = draft
  const recordedTokens = own.used.get(cellKey(day, model, kind)) ?? 0
  const billed = lines.reduce((sum, line) => (line.kind === kind ? sum + line.amount : sum), 0n)
  if (billedTokens === 0 && recordedTokens === 0 && billed === 0n && draft.causes.size === 0) return []
  const recorded = rounded(BigInt(recordedTokens) * price)
  const causes: Partial<Record<Cause, NanoSum>> = {}
  let unexplained = billed - recorded
  for (const cause of CAUSES) {
    const amount = rounded(draft.causes.get(cause) ?? 0n)
    if (amount === 0n) continue
    causes[cause] = amount
    unexplained -= amount
  }
  return [{ day, model, kind, billedTokens, recordedTokens, billed, recorded, causes, unexplained }]
}

/** Half up, to the nano-USD. */
const rounded = (pico: PicoUsd): NanoSum => (pico >= 0n ? (pico + NANO / 2n) / NANO : -((-pico + NANO / 2n) / NANO))

/** A line that the gateway cannot have caused: all of it is explained by that. */
function foreignCell({ day, model, kind, tokens = 0, amount }: BillLine): ComparedCell {
  const cause: Cause = kind === undefined ? 'no_tokens' : 'past_the_gateway'
  return {
    ...{ day, model, kind, billedTokens: tokens, recordedTokens: 0 },
    ...{ billed: amount, recorded: 0n, unexplained: 0n },
    causes: amount === 0n ? {} : { [cause]: amount },
  }
}

function summed(cells: readonly ComparedCell[], derived: readonly DerivedPrice[], { zone }: Calendar): ReconciledBill {
  const total = (amountOf: (cell: ComparedCell) => NanoSum) => cells.reduce((sum, cell) => sum + amountOf(cell), 0n)
  const byCause = (amountOf: (amount: NanoSum) => NanoSum) =>
    Object.fromEntries(CAUSES.map(cause => [cause, total(cell => amountOf(cell.causes[cause] ?? 0n))])) as Record<
      Cause,
      NanoSum
    >
  return {
    ...(zone !== undefined && { zone }),
    billed: total(({ billed }) => billed),
    recorded: total(({ recorded }) => recorded),
    causes: byCause(amount => amount),
    gross: byCause(unsigned),
    unexplained: total(({ unexplained }) => unexplained),
    unexplainedGross: total(({ unexplained }) => unsigned(unexplained)),
    cells,
    derived,
  }
}

const unsigned = (amount: NanoSum): NanoSum => (amount < 0n ? -amount : amount)
