import type { Loaded } from '../config/settings.ts'
import { rateAt } from '../gateway/admission/rate-state.ts'
import { answerHeaders } from '../gateway/answer/headers.ts'
import { newestSecond } from '../policy/counters/account-counters.ts'
import { ZERO_USD } from '../policy/nano-usd.ts'
import { planName } from '../policy/plan.ts'
import { errorTermsOf, renderDenial } from '../wire/errors/denial.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { addRate } from '../wire/quota-headers.ts'
import { boundsOf, type Mismatch, mismatches } from './expectations.ts'
import type { Sent } from './send.ts'
import type { Simulation } from './simulation.ts'

/** The values that expectations are compared with, by the names that they give them. */
export function seenOf(loaded: Loaded, simulation: Simulation): JsonObject {
  const { facts, decision, denial, admitted, sent, role } = simulation
  const answer = answerOf(loaded, simulation)
  const allow = decision && 'denial' in decision ? undefined : decision
  return {
    ...errorFields(answer.body),
    plan: facts && planName(loaded.config, facts.caller),
    org: facts?.caller.terms.org,
    role,
    model: allow?.model.name ?? (denial && 'model' in denial ? denial.model : undefined),
    route: allow?.route?.name,
    pools: allow?.pools.map(({ name }) => name),
    served_by: sent && 'servedBy' in sent.end ? sent.end.servedBy.name : undefined,
    attempted: sent?.attempted,
    ...replicaOf(sent),
    ...slotOf(sent),
    mirror: copiedTo(simulation),
    max_tokens: facts?.request.kind === 'chat' ? admitted?.hold.output : undefined,
    ...answer,
    headers: namedLow(answer.headers),
  }
}

/** The pool that gets a copy, where one does: copies stay in the site of the pool that answers unless the files say more. */
function copiedTo({ decision, sent }: Simulation): string | undefined {
  if (!decision || 'denial' in decision || !decision.mirror || !sent || !('servedBy' in sent.end)) return undefined
  if (!sent.isCopied) return undefined
  const { to, acrossSites } = decision.mirror
  const { servedBy } = sent.end
  return servedBy !== to && (acrossSites || servedBy.site === to.site) ? to.name : undefined
}

/** The choice of the pool that answers. A replica has a number in its pool, and a URL. */
function replicaOf(sent: Sent | undefined): JsonObject {
  if (!sent || 'denial' in sent.end) return {}
  const { servedBy } = sent.end
  const choice = sent.choices.find(({ pool }) => pool === servedBy.name)
  const number = sent.replica === undefined ? undefined : servedBy.replicas.indexOf(sent.replica) + 1
  return { balance: choice?.balance, replica: number, [REPLICA_URL]: sent.replica }
}

/** The slot of the request, and its way there. */
const slotOf = ({ wait, slot, full = new Map() }: Partial<Sent> = {}): JsonObject => ({
  waits_in: wait?.pool.name,
  waits_behind: wait?.behind,
  slot,
  queue_full: [...full.values()].findLast(bound => bound.startsWith(OF_QUEUE))?.slice(OF_QUEUE.length),
})

const OF_QUEUE = 'queue.'

/** A name that no field of `expect` has. */
const REPLICA_URL = 'replica url'

const namedLow = (headers: Answer['headers']): JsonObject =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** All that is not as a case expects. */
export function unexpected(expect: JsonObject, seen: JsonObject): readonly Mismatch[] {
  return Object.entries(expect).flatMap(([name, expected]) => {
    const wanted =
      name === 'headers' && typeof expected === 'object' && !boundsOf(expected) ? lowNames(expected) : expected
    const isUrl = name === 'replica' && typeof expected === 'string'
    return mismatches(wanted, seen[isUrl ? REPLICA_URL : name], name)
  })
}

const lowNames = (headers: object | null): JsonObject =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))

/** The answer to the client. A served request has its headers alone, since no model is asked for a text. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

export function answerOf({ settings }: Pick<Loaded, 'settings'>, simulation: Simulation): Answer {
  const { denial, admitted, sent, form } = simulation
  if (denial) {
    const { status, headers, body } = renderDenial(denial, errorTermsOf(settings), form)
    if (!isObject(body)) throw new Error(`the body of ${denial.code} is no object`)
    return { status, headers: { ...headers, ...rateOf(simulation) }, body }
  }
  if (!admitted || !sent || 'denial' in sent.end) throw new Error('a request was neither denied nor served')
  const { servedBy } = sent.end
  return { status: 200, headers: answerHeaders(settings.brand, admitted, servedBy, ZERO_USD) }
}

/** The rest of the limits that the request met, where one of them refuses it. */
function rateOf({ facts, counters, decision, verdict }: Simulation): Answer['headers'] {
  if (!facts || !decision || 'denial' in decision || !verdict || 'granted' in verdict) return {}
  if (verdict.denial.code !== 'rate_limit_exceeded') return {}
  const headers: Record<string, string> = {}
  const { at } = facts
  const { readings, rules } = verdict
  addRate(headers, rateAt(decision.claims, readings, { at, newest: newestSecond(counters, at), rules }))
  return headers
}

/** The fields of an error, which stand in `error` or beside it, and its text as `message`. */
export function errorFields(body: JsonObject | undefined): JsonObject {
  if (!body) return {}
  return isObject(body.error) ? { ...body, ...body.error } : { message: body.error, ...body }
}
