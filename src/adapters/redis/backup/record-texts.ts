import type { RowState } from '../../../gateway/store/record.ts'
import { readRow, restOf, whoseOf } from '../row-text.ts'

/** A row with the parts that only the store needs. */
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

const digits = (number: number, width: number): string => String(number).padStart(width, '0')
