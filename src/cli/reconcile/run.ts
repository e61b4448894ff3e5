import { unitOf } from '../../config/model/units.ts'
import type { Loaded } from '../../config/settings.ts'
import { loadToShow } from '../../operator/load-files.ts'
import type { LedgerUse, TokenPrices } from '../../policy/billing/bill/bill.ts'
import { daysOf } from '../../policy/billing/bill/days.ts'
import { reconcile } from '../../policy/billing/bill/reconcile.ts'
import { dayText } from '../../policy/zone.ts'
import { exitCodes } from '../../server/failure.ts'
import { world } from '../../server/world.ts'
import { forPrograms } from '../kit/formats.ts'
import { withOperator } from '../kit/options.ts'
import { writeOut } from '../kit/terminal.ts'
import { RATES } from '../prices/drift.ts'
import { catalogue } from '../prices/run.ts'
import { type BilledPools, billedPools, modelFinder, providerOf } from './billed-pools.ts'
import { ledgerUses } from './ledger-uses.ts'
import { type Bill, readBill } from './read-bill.ts'
import type { ReconcileOptions } from './reconcile.ts'
import { type Reconciled, reconciledText, shownBill, shownCell } from './text.ts'

/** Prints the comparison. Rejects with CommandFailed where bill, configuration or gateway cannot be read. */
export async function runReconcile(options: ReconcileOptions): Promise<void> {
  const loaded = loadToShow(options.config)
  const finders = new Map<unknown, (billed: string) => string>()
  const bill = await readBill(options.bill, {
    projects: options.project,
    modelOf: (billed, providers) => {
      const finder =
        finders.get(providers) ?? modelFinder(modelsOf(billedPools(loaded, options.pool, providers)), options.model)
      finders.set(providers, finder)
      return finder(billed)
    },
  })
  const billed = billedPools(loaded, options.pool, bill.of)
  const { first = 0, last = 0 } = daysOf(bill.lines) ?? {}
  tellGaps(loaded, first, last)
  const models = new Map(billed.pools.map(({ name, model }) => [name, model]))
  // Days of other zones, and requests that ended on another day, reach into the days around.
  const period = { since: dayText(first - 2), until: dayText(last + 3) }
  let [uses, orphans]: [readonly LedgerUse[], number] = [[], 0]
  await withOperator(options, async operator => {
    ;({ uses, orphans } = await ledgerUses(operator.ledger(period), models))
  })
  const compared = reconcile({ lines: bill.lines, uses, prices: billed.prices, listed: listedPrices(billed) })
  const reconciled: Reconciled = {
    ...{ ...compared, format: bill.format, pools: billed.pools.map(({ name }) => name) },
    ...{ first: dayText(first), last: dayText(last), unknownModels: unknownModels(bill, billed) },
    ...{ leftOut: bill.leftOut, tolerance: options.tolerance, orphans },
  }
  const list = { object: 'list' as const, data: reconciled.cells.map(shownCell) }
  await writeOut([forPrograms(options, list, shownBill(reconciled)) ?? reconciledText(reconciled)])
  if (isBeyond(reconciled)) process.exitCode = exitCodes.changes
}

const modelsOf = ({ prices }: BilledPools): readonly string[] => [...prices.keys()]

/** Names of the bill that no pool runs. */
const unknownModels = ({ lines }: Bill, { prices }: BilledPools): readonly string[] =>
  [...new Set(lines.flatMap(({ model, kind }) => (kind !== undefined && !prices.has(model) ? [model] : [])))].sort()

/** The prices of the catalogue. Its writes to a cache are those of five minutes. */
function listedPrices({ pools }: BilledPools): ReadonlyMap<string, Partial<TokenPrices>> {
  const known = pools.flatMap(pool => {
    const provider = providerOf(pool)
    const listed = provider && catalogue(provider, pool.model)
    if (!listed) return []
    const rates = RATES.flatMap(rate => {
      const usd = listed[rate]
      return usd === undefined
        ? []
        : [[rate === 'cached_input' ? 'cached' : rate, BigInt(unitOf('price', usd))] as const]
    })
    return [[pool.model, Object.fromEntries(rates)] as const]
  })
  return new Map(known)
}

const DAY_MS = 86_400_000

/** Says on stderr which days of the bill the ledger has only a part of. */
function tellGaps({ settings }: Loaded, first: number, last: number): void {
  const now = world.clock.now()
  if ((last + 1) * DAY_MS > now) console.error(`▲ ${dayText(last)} is not over: its usage is still being settled`)
  const { keep, archive } = settings.ledger
  if (!archive && first * DAY_MS < now - keep)
    console.error(
      `▲ the ledger has no rows of the first days of the bill: ledger.keep is ${Math.round(keep / DAY_MS)}d`,
    )
}

/** Whether more is unexplained than tolerated, without the signs: two wrong days do not make a right bill. */
export function isBeyond({ unexplainedGross, billed, recorded, tolerance }: Reconciled): boolean {
  const whole = billed > recorded ? billed : recorded
  return unexplainedGross * 1_000_000n > whole * BigInt(tolerance)
}
