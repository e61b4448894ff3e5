import type { Building } from '../../policy/decision.ts'
import type { Bucket, Spend, Standing } from '../../policy/standing.ts'
import type { StoredRow } from './ledger.ts'

// What is written with every request lies on disk as arrays: half the size of objects, which name their members each
// time, and packed in a quarter of their time. Files of schema 3 have objects, which are read as they are.

/** What few rows have. */
type Others = Pick<StoredRow, 'rule' | 'tools' | 'cause' | 'tokens' | 'shared'>

export type PackedRow = readonly [
  requestId: string,
  account: string,
  plan: string,
  asked: string,
  model: string,
  pool: string,
  inputTokens: number,
  outputTokens: number,
  cost: number,
  estimated: boolean,
  admittedAt: number,
  revision: string,
  kind: StoredRow['kind'],
  settledAt: number,
  others: Others | null,
]

export type PackedStanding = readonly [
  /** Second, requests and tokens of each bucket, one after the other. */
  minute: readonly number[],
  day: number,
  dayRequests: number,
  open: number,
  /** Start, used and held of each window, one after the other. */
  spend: readonly number[],
]

export const packRow = (row: StoredRow): PackedRow => [
  row.requestId,
  row.account,
  row.plan,
  row.asked,
  row.model,
  row.pool,
  row.inputTokens,
  row.outputTokens,
  row.cost,
  row.estimated,
  row.admittedAt,
  row.revision,
  row.kind,
  row.settledAt,
  othersOf(row),
]

function othersOf({ rule, tools, cause, tokens, shared }: StoredRow): Others | null {
  if (rule === undefined && !tools && cause === undefined && tokens === undefined && !shared) return null
  const others: Building<Others> = {}
  if (rule !== undefined) others.rule = rule
  if (tools) others.tools = tools
  if (cause !== undefined) others.cause = cause
  if (tokens !== undefined) others.tokens = tokens
  if (shared) others.shared = shared
  return others
}

export function unpackRow(packed: PackedRow | StoredRow): StoredRow {
  if ('requestId' in packed) return packed
  const [requestId, account, plan, asked, model, pool, inputTokens, outputTokens, cost, estimated, ...rest] = packed
  const [admittedAt, revision, kind, settledAt, others] = rest
  const { rule, tools, ...last } = others ?? {}
  return {
    requestId,
    account,
    plan,
    asked,
    model,
    pool,
    inputTokens,
    outputTokens,
    cost,
    estimated,
    admittedAt,
    revision,
    ...(rule !== undefined && { rule }),
    ...(tools && { tools }),
    kind,
    settledAt,
    ...last,
  }
}

export function packStanding({ minute, day, open, spend }: Standing): PackedStanding {
  const buckets: number[] = []
  for (const { second, requests, tokens } of minute) buckets.push(second, requests, tokens)
  const windows: number[] = []
  for (const window in spend) {
    const of = spend[window]
    if (of) windows.push(Number(window), of.used, of.held)
  }
  return [buckets, day.number, day.requests, open, windows]
}

export function unpackStanding(packed: PackedStanding | Standing): Standing {
  if ('minute' in packed) return packed
  const [buckets, number, requests, open, windows] = packed
  const minute: Bucket[] = []
  for (let at = 0; at < buckets.length; at += 3)
    minute.push({ second: buckets[at] ?? 0, requests: buckets[at + 1] ?? 0, tokens: buckets[at + 2] ?? 0 })
  const spend: Record<number, Spend> = {}
  for (let at = 0; at < windows.length; at += 3)
    spend[windows[at] ?? 0] = { used: windows[at + 1] ?? 0, held: windows[at + 2] ?? 0 }
  return { minute, day: { number, requests }, open, spend }
}
