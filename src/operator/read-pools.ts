import type { ShownPool, ShownProbe, ShownReplica, ShownResult } from '../http/admin/admin-pool-records.ts'
import type { JsonObject } from '../wire/openai/body.ts'
import { count, list, object, oneOf, text } from './read.ts'

// Each reads what a gateway sent, and throws TypeError when it is something else.

export const readShownPools = ({ data }: JsonObject): readonly ShownPool[] =>
  list(data, 'pools').map(each => readShownPool(object(each, 'pool')))

export function readShownPool(record: JsonObject): ShownPool {
  return {
    pool: text(record, 'pool'),
    site: text(record, 'site'),
    model: text(record, 'model'),
    models: list(record.models, 'models').map(String),
    drained: flag(record, 'drained'),
    in_flight: count(record, 'in_flight'),
    waiting: count(record, 'waiting'),
    max_concurrent: orNull(count, record, 'max_concurrent'),
    hour_usd: orNull(text, record, 'hour_usd'),
    max_usd_per_hour: orNull(text, record, 'max_usd_per_hour'),
    requests_10s: count(record, 'requests_10s'),
    retries_10s: count(record, 'retries_10s'),
    replicas: list(record.replicas, 'replicas').map(each => readReplica(object(each, 'replica'))),
  }
}

const STATES = ['closed', 'open', 'half-open', 'cooling', 'drained'] as const

const readReplica = (record: JsonObject): ShownReplica => ({
  replica: count(record, 'replica'),
  url: text(record, 'url'),
  state: oneOf(STATES, record, 'state'),
  in_flight: count(record, 'in_flight'),
  failures: count(record, 'failures'),
  retry_in_ms: orNull(count, record, 'retry_in_ms'),
  last_probe: record.last_probe === null ? null : readProbe(object(record.last_probe, 'last_probe')),
})

const readProbe = (record: JsonObject): ShownProbe => ({
  ok: flag(record, 'ok'),
  status: orNull(count, record, 'status'),
  error: orNull(text, record, 'error'),
  ms: count(record, 'ms'),
  at: text(record, 'at'),
})

export const readShownResults = ({ data }: JsonObject): readonly ShownResult[] =>
  list(data, 'results').map(each => {
    const record = object(each, 'result')
    const place = { pool: text(record, 'pool'), replica: count(record, 'replica'), url: text(record, 'url') }
    return { ...place, ...readProbe(record) }
  })

function flag(record: JsonObject, field: string): boolean {
  const value = record[field]
  if (typeof value !== 'boolean') throw new TypeError(`the gateway sent no ${field}`)
  return value
}

const orNull = <T>(read: (record: JsonObject, field: string) => T, record: JsonObject, field: string): T | null =>
  record[field] === null ? null : read(record, field)
