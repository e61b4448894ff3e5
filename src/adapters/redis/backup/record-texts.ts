import type { RowState } from '../../../gateway/store/store-record.ts'
import type { AccountCounters, Bucket } from '../../../policy/counters/account-counters.ts'
import { readRow, restOf, whoseOf } from '../row-text.ts'

/** A row with what the store alone needs of it. */
export function readRowState(text: string): RowState {
  const row = readRow(text)
  const [, place = '', , , , , tokens] = text.split(' ', 7)
  if (row.kind === 'orphan') return { ...row, tokens: Number(tokens) }
  return row.kind === 'waste' ? { ...row, attempt: Number(place.slice(1)) } : row
}

/** As the scripts write it. */
export function rowText({ tokens = 0, attempt = 0, ...row }: RowState): string {
  const { requestId, kind, cost, inputTokens, outputTokens, settledAt, cause } = row
  const place = kind === 'waste' ? `3${digits(attempt, 4)}` : kind === 'late' ? '2' : '1'
  const numbers = [cost, inputTokens, outputTokens, tokens, settledAt].join(' ')
  return `${requestId} ${place} ${kind} ${numbers} ${whoseOf(row)} ${restOf(row, cause)}`
}

/** The counters of an account, but for its spend, as redis/holds/counters.lua keeps them. */
export function countersTexts({ minute, calendar, concurrent }: Omit<AccountCounters, 'spend'>) {
  const newest = minute.at(-1)?.second ?? 0
  const live = minute.filter(({ second }) => second > newest - SECONDS)
  const sum = (of: (bucket: Bucket) => number) => live.reduce((all, bucket) => all + of(bucket), 0)
  const [first = { number: 0, requests: 0 }, ...others] = calendar
  const sums = [sum(({ requests }) => requests), sum(({ tokens }) => tokens)]
  const ring: { readonly at: number; readonly text: string }[] = live
    .slice(0, -1)
    .map(bucket => ({ at: (bucket.second % SECONDS) * BUCKET_WIDTH, text: bucketText(bucket) }))
  return {
    head: live.slice(-1).map(bucketText).join(''),
    counts: [Math.max(0, newest - SECONDS + 1), ...sums, first.number, first.requests, concurrent].join(' '),
    calendar: others.map(({ number, requests }) => `${number} ${requests}`).join(' '),
    ring,
  }
}

/** As redis/holds/counters.lua has them: how many seconds the minute has, and how wide the record of one is. */
const SECONDS = 61
const BUCKET_WIDTH = 29

const bucketText = ({ second, requests, tokens }: Bucket): string =>
  `${digits(second, 10)}${digits(requests, 7)}${tokens < 0 ? `-${digits(-tokens, 11)}` : digits(tokens, 12)}`

const digits = (number: number, width: number): string => String(number).padStart(width, '0')
