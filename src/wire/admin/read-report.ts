import { isObject, type JsonObject } from '../openai/body.ts'
import { GROUPS, type LedgerRecord, type UsageRecord, type UsageReport, type WasteRecord } from './report.ts'

/** Reads a report that a gateway sent. Throws TypeError when it is none. */
export function readUsageReport(value: unknown): UsageReport {
  const { by, since, data, waste } = asObject(value)
  const group = GROUPS.find(each => each === by)
  if (!group || !Array.isArray(data) || !Array.isArray(waste))
    throw new TypeError('the gateway sent no report of usage')
  return {
    object: 'list',
    by: group,
    since: typeof since === 'string' ? since : null,
    data: data.map(usageRecord),
    waste: waste.map(wasteRecord),
  }
}

function usageRecord(value: unknown): UsageRecord {
  const record = asObject(value)
  return {
    group: text(record, 'group'),
    ...(typeof record.label === 'string' && { label: record.label }),
    requests: count(record, 'requests'),
    input_tokens: count(record, 'input_tokens'),
    output_tokens: count(record, 'output_tokens'),
    cost_nano_usd: count(record, 'cost_nano_usd'),
    usd: text(record, 'usd'),
  }
}

function wasteRecord(value: unknown): WasteRecord {
  const record = asObject(value)
  return {
    pool: text(record, 'pool'),
    attempts: count(record, 'attempts'),
    input_tokens: count(record, 'input_tokens'),
    output_tokens: count(record, 'output_tokens'),
    cost_nano_usd: count(record, 'cost_nano_usd'),
    usd: text(record, 'usd'),
  }
}

/** Reads one row that a gateway sent. Throws TypeError when it is none. */
export function readLedgerRecord(value: unknown): LedgerRecord {
  const record = asObject(value)
  return {
    request_id: text(record, 'request_id'),
    account: text(record, 'account'),
    plan: text(record, 'plan'),
    asked: text(record, 'asked'),
    model: text(record, 'model'),
    pool: text(record, 'pool'),
    input_tokens: count(record, 'input_tokens'),
    output_tokens: count(record, 'output_tokens'),
    cost_nano_usd: count(record, 'cost_nano_usd'),
    usd: text(record, 'usd'),
    kind: text(record, 'kind'),
    estimated: record.estimated === true,
    admitted_at: text(record, 'admitted_at'),
    settled_at: text(record, 'settled_at'),
    revision: text(record, 'revision'),
    route: record.route === null ? null : text(record, 'route'),
    tools: counts(record.tools),
    cause: record.cause === null ? null : text(record, 'cause'),
  }
}

function asObject(value: unknown): JsonObject {
  if (!isObject(value)) throw new TypeError('the gateway sent no object')
  return value
}

function text(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value !== 'string') throw new TypeError(`the gateway sent no ${field}`)
  return value
}

/** Null also where an older gateway does not tell. */
function counts(value: unknown): LedgerRecord['tools'] {
  if (value === null || value === undefined) return null
  const record = asObject(value)
  return Object.fromEntries(Object.keys(record).map(name => [name, count(record, name)]))
}

function count(record: JsonObject, field: string): number {
  const value = record[field]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`the gateway sent no ${field}`)
  return value
}
