import type { Pool } from '../../policy/config.ts'
import { fieldsIgnoredAt, lossesAt } from '../../policy/dialect.ts'
import { addNanoUsd, type NanoUsd } from '../../policy/nano-usd.ts'
import { addQuota, addRate, QuotaHeaderNames, type QuotaStanding } from '../../wire/quota-headers.ts'
import { HEADER_GROUPS, joinWithin } from '../../wire/response-headers.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import { rateAfter } from '../admission/rate-state.ts'

/**
 * The headers that name who gave an answer, and the account's usage after it. `pool` is absent while none has answered,
 * and `cost` is 0 while it is unknown.
 */
export function answerHeaders(
  brand: string,
  admitted: AdmittedCall,
  pool: Pool | undefined,
  cost: NanoUsd,
): Record<string, string> {
  if (brand !== names.brand) names = new HeaderNames(brand)
  const { decision, hold } = admitted
  // One after the other: in a literal, names that are computed cost ten times as much.
  const headers: Record<string, string> = {}
  if (pool) addPool(headers, admitted, pool)
  if (decision.route) headers[names.smartRoute] = decision.route.name
  if (pool && admitted.queued.ms > 0) headers[names.queueWait] = String(admitted.queued.ms)
  addQuota(headers, names.quota, standingAfter(admitted, cost))
  addRate(headers, rateAfter(admitted))
  // The cap is the gateway's own: without this the client could not know why its answer stopped.
  if (hold.output < wantedOutput(admitted)) headers[names.maxTokens] = String(hold.output)
  return headers
}

/** Stream comments that name the answering pool, if the headers were sent before it was known. */
export function poolComments(brand: string, admitted: AdmittedCall, pool: Pool): string {
  if (brand !== names.brand) names = new HeaderNames(brand)
  const headers: Record<string, string> = {}
  addPool(headers, admitted, pool)
  if (admitted.queued.ms > 0) headers[names.queueWait] = String(admitted.queued.ms)
  return `${Object.entries(headers)
    .map(([name, value]) => `: ${name}: ${value}\n`)
    .join('')}\n`
}

/** Adds the headers that depend on who answers. */
function addPool(headers: Record<string, string>, { decision, request }: AdmittedCall, pool: Pool): void {
  headers[names.upstream] = pool.name
  const tools = lossesAt(pool, request)
  if (tools.length > 0) headers[names.ignoredTools] = joinWithin(tools, MOST['x-*-ignored-tools'])
  const fields = fieldsIgnoredAt(decision.model, pool, request)
  if (fields.length > 0) headers[names.ignoredFields] = joinWithin(fields, MOST['x-*-ignored-fields'])
}

/** The output tokens that the client asked for, where it did. */
const wantedOutput = ({ decision, request }: AdmittedCall): number =>
  Math.max(decision.claims.output.want, request.kind === 'chat' ? (request.cap?.tokens ?? 0) : 0)

const MOST = HEADER_GROUPS.answer

/** The standing an answer shows: that of its admission, and its own cost once it is known. */
function standingAfter({ decision, readings }: AdmittedCall, cost: NanoUsd): QuotaStanding {
  const { allotment, window } = decision.claims.spend
  return { plan: decision.plan.name, used: addNanoUsd(readings.used, cost), limit: allotment, resetAt: window.end }
}

class HeaderNames {
  readonly brand: string
  readonly upstream: string
  readonly smartRoute: string
  readonly queueWait: string
  readonly maxTokens: string
  readonly ignoredTools: string
  readonly ignoredFields: string
  readonly quota: QuotaHeaderNames

  constructor(brand: string) {
    this.brand = brand
    this.upstream = `x-${brand}-upstream`
    this.smartRoute = `x-${brand}-smart-route`
    this.queueWait = `x-${brand}-queue-wait`
    this.maxTokens = `x-${brand}-max-tokens`
    this.ignoredTools = `x-${brand}-ignored-tools`
    this.ignoredFields = `x-${brand}-ignored-fields`
    this.quota = new QuotaHeaderNames(brand)
  }
}

/** A gateway has one brand. */
let names = new HeaderNames('')
