import type { Identified } from '../../gateway/accounts/identified.ts'
import type { Denied } from '../../policy/denial.ts'
import type { ListenerApp } from './app.ts'
import type { HttpCall } from './call.ts'
import { holderOf } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import { type CountRead, READ_RATES, type Reader, type ReadLimits, type ReadOutcome } from './read-limits.ts'

type Ports = Pick<ListenerApp, 'reads'>

/** Counts a read of an endpoint that anyone may call, for its address. Says why it has to wait. */
export function admitStranger(ports: Ports, call: HttpCall, { rate }: Bounded): Denied | undefined {
  if (rate !== 'reads' && rate !== 'files') return undefined
  return admitAddress(ports, call, rate === 'files' ? 'files' : 'address')
}

/** Counts a request without a valid key for its address. Says why it has to wait. */
export const admitAddress = (
  { reads }: Ports,
  call: HttpCall,
  reader: Exclude<Reader, 'key' | 'guests'>,
): Denied | undefined => take(reads, reader, holderOf(call.clientAddress))

/** Counts a read of a client that is known, for its key. */
export function admitReader(
  { reads }: Ports,
  call: HttpCall,
  { rate }: Bounded,
  found: Identified,
): Denied | undefined {
  if (rate !== 'reads' && rate !== 'files') return undefined
  const { caller, keyHash } = found
  return caller.kind === 'guest'
    ? take(reads, 'guests', holderOf(call.clientAddress))
    : take(reads, 'key', keyHash ?? caller.account)
}

/** Counts a request of the identity provider, which has one secret, whatever its addresses. */
export const admitProvider = ({ reads }: Ports): Denied | undefined => take(reads, 'key', 'identity.scim')

function take(reads: ReadLimits, reader: Reader, name: string): Denied | undefined {
  const retryAfterMs = reads.take(reader, name)
  if (retryAfterMs === 0) return undefined
  const limit = READ_RATES[reader].perSecond
  return { denial: { code: 'rate_limit_exceeded', type: 'requests', of: 'reads', reader, limit, retryAfterMs } }
}

/** Tells metrics of a read that is over; of requests that limits of plans count they know from elsewhere. */
export function noteRead(count: CountRead, endpoint: Endpoint, status: number): void {
  if (endpoint.rate !== 'reads' && endpoint.rate !== 'files') return
  count(`${endpoint.method} ${endpoint.path}`, outcomeOf(status))
}

function outcomeOf(status: number): ReadOutcome {
  if (status < 400) return 'served'
  if (status === 429) return 'limited'
  return status < 500 ? 'refused' : 'failed'
}

/** An endpoint with a rate limit. */
export type Bounded = Required<Pick<Endpoint, 'rate'>>
