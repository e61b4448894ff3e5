import type { ShownEvent, ShownRequest, ShownStanding } from '../http/admin/event-records.ts'
import type { JsonObject } from '../wire/openai/body.ts'
import { count, list, object, oneOf, text } from './read.ts'

// Each reads what a gateway sent, and throws TypeError when it is something else.

export function readShownEvent(value: unknown): ShownEvent {
  const record = object(value, 'event')
  const event = oneOf(['request', 'standing', 'dropped'], record, 'event')
  if (event === 'dropped') return { event, count: count(record, 'count') }
  return event === 'standing' ? readShownStanding(record) : readRequest(record)
}

export function readShownStanding(value: unknown): ShownStanding {
  const record = object(value, 'standing')
  return {
    event: 'standing',
    at: text(record, 'at'),
    account: text(record, 'account'),
    label: text(record, 'label'),
    plan: text(record, 'plan'),
    used_usd: text(record, 'used_usd'),
    held_usd: text(record, 'held_usd'),
    limit_usd: record.limit_usd === null ? null : text(record, 'limit_usd'),
    reset: text(record, 'reset'),
    requests: count(record, 'requests'),
    requests_limit: record.requests_limit === null ? null : count(record, 'requests_limit'),
    tokens: count(record, 'tokens'),
    tokens_limit: record.tokens_limit === null ? null : count(record, 'tokens_limit'),
    under_way: count(record, 'under_way'),
  }
}

const readRequest = (record: JsonObject): ShownRequest => ({
  event: 'request',
  request_id: text(record, 'request_id'),
  at: text(record, 'at'),
  method: text(record, 'method'),
  path: text(record, 'path'),
  status: count(record, 'status'),
  ms: number(record, 'ms'),
  account: record.account === null ? null : text(record, 'account'),
  ...given(text, record, ['plan', 'asked', 'model', 'route', 'pool', 'code', 'type', 'usd', 'interrupted']),
  ...given(count, record, ['input_tokens', 'output_tokens', 'cost_nano_usd']),
  ...(record.estimated !== undefined && { estimated: record.estimated === true }),
  ...(record.tools !== undefined && { tools: readTools(object(record.tools, 'tools')) }),
  ...(record.failures !== undefined && { failures: list(record.failures, 'failures').map(readFailure) }),
  standing: record.standing === null ? null : readShownStanding(record.standing),
})

const readTools = (tools: JsonObject): Record<string, number> =>
  Object.fromEntries(Object.keys(tools).map(name => [name, count(tools, name)]))

function readFailure(value: unknown): { readonly pool: string; readonly cause: string } {
  const failure = object(value, 'failure')
  return { pool: text(failure, 'pool'), cause: text(failure, 'cause') }
}

/** The fields that are there. */
function given<Value, Field extends string>(
  read: (record: JsonObject, field: string) => Value,
  record: JsonObject,
  fields: readonly Field[],
): { [Name in Field]?: Value } {
  const found: { [Name in Field]?: Value } = {}
  for (const field of fields) if (record[field] !== undefined) found[field] = read(record, field)
  return found
}

function number(record: JsonObject, field: string): number {
  const value = record[field]
  if (typeof value !== 'number') throw new TypeError(`the gateway sent no ${field}`)
  return value
}
