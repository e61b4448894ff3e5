import type { ProviderName } from '../../policy/providers/profile.ts'
import {
  amountOf,
  BadLine,
  CENTS,
  type ExportLine,
  openAiLine,
  periodOf,
  refuseOtherCurrency,
  USD,
  usage,
} from './bill-formats.ts'

/** The lines of an export as JSON. */
export interface JsonBill {
  readonly name: string
  readonly of: readonly ProviderName[]
  readonly lines: Iterable<ExportLine>
}

type Json = Readonly<Record<string, unknown>>

/**
 * Reads pages of OpenAI's costs API or of Anthropic's cost report: one page, a list of pages, or one page in each line. Throws
 * BadLine for anything else, and for pages of which the last one is missing.
 */
export function jsonLines(text: string): JsonBill {
  const pages = pagesOf(text.replace(/^\uFEFF/, ''))
  const last = pages.at(-1)
  if (!last || !pages.every(({ data }) => Array.isArray(data)))
    throw new BadLine('the JSON is not a page of costs: it has no list `data`')
  if (last.has_more === true)
    throw new BadLine('the last page has `has_more: true`; fetch the pages that follow it too')
  const buckets = pages.flatMap(({ data }) => (data as unknown[]).map(objectOf))
  const isAnthropic = buckets.some(bucket => 'starting_at' in bucket)
  const read = isAnthropic ? anthropicLine : openAiResult
  return {
    ...(isAnthropic ? { name: 'Anthropic costs', of: ['anthropic'] } : { name: 'OpenAI costs', of: ['openai'] }),
    lines: buckets.flatMap(bucket => listOf(bucket.results).map(result => read(bucket, objectOf(result)))),
  }
}

function pagesOf(text: string): readonly Json[] {
  try {
    const whole: unknown = JSON.parse(text)
    return (Array.isArray(whole) ? whole : [whole]).map(objectOf)
  } catch (error) {
    if (error instanceof BadLine) throw error
  }
  const lines = text.split('\n').filter(line => line.trim() !== '')
  try {
    return lines.map(line => objectOf(JSON.parse(line)))
  } catch {
    throw new BadLine('the file begins like JSON but is not valid JSON')
  }
}

function objectOf(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new BadLine('the JSON is not a page of costs: an object is missing')
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new BadLine('a bucket of the JSON has no list `results`')
}

/** A text or a number as text; empty for null and what is missing. */
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function openAiResult(bucket: Json, result: Json): ExportLine {
  const { value, currency } = objectOf(result.amount)
  refuseOtherCurrency(textOf(currency))
  const tokens = result.quantity
  return openAiLine({
    period: periodOf(textOf(bucket.start_time), textOf(bucket.end_time)),
    lineItem: textOf(result.line_item),
    amount: amountOf(textOf(value), USD),
    tokens: typeof tokens === 'number' && Number.isSafeInteger(tokens) ? tokens : undefined,
    project: textOf(result.project_id),
  })
}

function anthropicLine(bucket: Json, result: Json): ExportLine {
  refuseOtherCurrency(textOf(result.currency))
  const isTokens = result.cost_type === undefined || result.cost_type === 'tokens'
  if (result.description === null && result.model === null && result.cost_type === null)
    throw new BadLine('the report is not split by model; fetch it again with `group_by[]=description`')
  return usage({
    period: periodOf(textOf(bucket.starting_at), textOf(bucket.ending_at)),
    model: textOf(result.model),
    meter: isTokens ? textOf(result.token_type) : '',
    amount: amountOf(textOf(result.amount), CENTS),
    project: textOf(result.workspace_id),
  })
}
