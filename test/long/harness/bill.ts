import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { LedgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import { usdText } from '../../../src/wire/money.ts'
import type { Program } from '../../cli/program.ts'
import { sumOf } from './books.ts'
import { ADMIN_TOKEN, type Gateway } from './fleet.ts'
import { PRICE, type Visit } from './site.ts'

/** The comparison of `svcctl reconcile --json`, as far as tests look at it. Amounts are nano-USD. */
export interface Reconciled {
  readonly code: number | null
  readonly billed: number
  readonly recorded: number
  readonly unexplained: number
  /** Causes whose amount is not 0. */
  readonly causes: Readonly<Record<string, number>>
  readonly orphans: number
}

/** Reconciles the ledger with the bill of the backends, which is made of what they served by their own log. */
export async function reconciled(program: Program, gateway: Gateway, visits: readonly Visit[]): Promise<Reconciled> {
  const file = join(gateway.stateDir, 'bill.csv')
  writeFileSync(file, billOf(visits))
  const words = ['reconcile', '--bill', file, '-c', gateway.file, '--pool', 'site', '--json']
  const { code, stdout, stderr } = await program.run(words, {
    env: { SVCCTL_ADMIN: gateway.admin, SVCCTL_TOKEN: ADMIN_TOKEN },
  })
  if (stdout === '') throw new Error(`svcctl reconcile exits ${code}: ${stderr}`)
  const bill = JSON.parse(stdout)
  const causes = Object.entries(bill.causes as Record<string, string>).map(
    ([cause, usd]) => [cause, nano(usd)] as const,
  )
  return {
    code,
    billed: nano(bill.billed_usd),
    recorded: nano(bill.recorded_usd),
    unexplained: nano(bill.unexplained_gross_usd),
    causes: Object.fromEntries(causes.filter(([, amount]) => amount !== 0)),
    orphans: bill.orphans,
  }
}

const nano = (usd: string): number => Math.round(Number(usd) * 1e9)

/** Visits that the ledger has not in full: killed before their first checkpoint, or charged as of the last one. */
export function killed(visits: readonly Visit[], rows: readonly LedgerRecord[]) {
  const charged = new Map<string, number>()
  const ended = new Set<string>()
  for (const { request_id: id, kind, cost_nano_usd: cost } of rows) {
    charged.set(id, (charged.get(id) ?? 0) + cost)
    if (kind !== 'orphan') ended.add(id)
  }
  const cut = visits.filter(({ requestId }) => !ended.has(requestId))
  return {
    uncharged: cut.filter(({ requestId }) => !charged.has(requestId)).length,
    orphans: cut.filter(({ requestId }) => charged.has(requestId)).length,
    /** Their cost at the backends beyond their charges. */
    lost: sumOf(cut.map(({ requestId, cost }) => cost - (charged.get(requestId) ?? 0))),
  }
}

/** The tokens of chats by day and kind, as FOCUS. */
function billOf(visits: readonly Visit[]): string {
  const days = new Map<string, { input: number; output: number }>()
  for (const { at, promptTokens, tokens, kind } of visits) {
    if (kind !== 'chat') throw new Error(`${kind} is billed by other things than tokens`)
    const day = new Date(at).toISOString().slice(0, 10)
    const { input, output } = days.get(day) ?? { input: 0, output: 0 }
    days.set(day, { input: input + promptTokens, output: output + tokens - promptTokens })
  }
  const lines = [...days].flatMap(([day, sums]) =>
    (['input', 'output'] as const).map(kind => {
      const end = new Date(Date.parse(day) + 86_400_000).toISOString()
      const cost = usdText(nanoUsd(sums[kind] * PRICE[kind]))
      return `${day}T00:00:00Z,${end},${cost},USD,Usage,AI and Machine Learning,${kind} tokens,test-model,${sums[kind]},tokens\n`
    }),
  )
  return FOCUS_HEADER + lines.join('')
}

const FOCUS_HEADER =
  'ChargePeriodStart,ChargePeriodEnd,BilledCost,BillingCurrency,ChargeCategory,ServiceCategory,SkuMeter,x_Model,ConsumedQuantity,ConsumedUnit\n'
