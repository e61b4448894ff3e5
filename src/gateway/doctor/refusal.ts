import { type Millis, placeOf } from '../../policy/config.ts'
import { readBackendError } from '../../wire/backend-error.ts'
import { scrub } from '../../wire/errors/scrub.ts'
import { parse } from '../../wire/json-bytes.ts'
import { type Fault, problem, warning } from './finding.ts'
import { type Answer, type ExaminedReplica, placeText } from './replica.ts'

/** As much as is shown of what a backend says. */
const MOST_TEXT = 160

/** The fault of a replica that gave no whole answer of status 200; undefined where it did. */
export function refusalOf(
  replica: ExaminedReplica,
  what: string,
  answer: Answer,
  keyFrom: string | undefined,
): Fault | undefined {
  const { head, cause } = answer
  // A refusal says what is wrong, whole or not.
  if (head && head.status !== 200) return ofStatus(replica, what, answer, head.status, keyFrom)
  if (cause === undefined) return undefined
  if (!head) return unreachable(replica, what, cause, answer.limit)
  const how = cause === 'timeout' ? `the answer was not complete within ${secondsText(answer.limit)}` : causeText(cause)
  return problem(`${replica.host} breaks off ${what}: ${how}`, 'Look at the log of the backend.')
}

/** A host that says nothing at all. */
function unreachable({ pool, host }: ExaminedReplica, what: string, cause: string, limit: Millis): Fault {
  const place = placeText(placeOf(pool, 'replicas'))
  if (cause === 'timeout') {
    const text = `${host} accepts the request for ${what}, but does not answer within ${secondsText(limit)}`
    return problem(text, 'Is it still loading its model, or stuck? See its log, or allow more time with --timeout.')
  }
  if (cause === 'connect timeout' || cause === 'UND_ERR_CONNECT_TIMEOUT')
    return problem(`${host} does not accept a connection within connect_timeout`, `Is a firewall in between? ${place}`)
  const hint = HINTS.find(([pattern]) => pattern.test(cause))?.[1] ?? 'Look at the log of the backend'
  return problem(`${host} does not answer: ${causeText(cause)}`, `${hint}: ${place}`)
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'Nothing listens there. Start the backend, or correct its address'],
  [/^(ENOTFOUND|EAI_)/, 'The host name is unknown. Correct its address'],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'The host is unreachable. Correct its address'],
  [/TLS|SSL|CERT|SIGNED|EPROTO/, 'TLS fails. Does it use https, with a certificate that this machine trusts?'],
]

/** A cut may be seen as either. */
const causeText = (cause: string): string =>
  /^(ECONNRESET|UND_ERR_SOCKET)$/.test(cause) ? 'the connection was cut' : cause

const secondsText = (limit: Millis): string => `${limit / 1000} s`

/** Where something is not at all, for a list that need not be. */
export const isAbsent = (status: number): boolean => status === 404 || status === 405 || status === 501

function ofStatus(
  replica: ExaminedReplica,
  what: string,
  { body }: Answer,
  status: number,
  keyFrom: string | undefined,
): Fault {
  const { pool, host, promised } = replica
  if (status === 401 || status === 403) return unauthorized(replica, status, keyFrom)
  const { message = '', code, type } = readBackendError(parse(body.toString('utf8')))
  const codes = [code, type]
  if (codes.includes('insufficient_quota'))
    return problem(`${host} refuses this key: ${status} insufficient_quota`, 'Pay its bill.')
  if (status === 429)
    return { ...warning(`${host} accepts no more requests at the moment: 429`, 'Try again later.'), why: 'busy' }
  const said = message === '' ? '' : saidText(message, promised.settings.key?.reveal())
  if (codes.includes('model_not_found') || ([400, 404, 422].includes(status) && UNKNOWN_MODEL.test(said)))
    return unknownModel(replica, status)
  if (status === 404) {
    const place = placeText(placeOf(pool, 'replicas'))
    return problem(`${host} has no endpoint for ${what}: 404`, `Does its address lack the /v1 of its API? ${place}`)
  }
  return problem(`answers ${what} with ${status}${said && `: ${said}`}`, 'Look at the log of the backend.')
}

const UNKNOWN_MODEL =
  /\bmodel\b.*(not exist|not found|unknown|not available|no such|not supported|invalid)|(unknown|no such|invalid) model/i

function unauthorized({ pool, host, promised }: ExaminedReplica, status: number, keyFrom: string | undefined): Fault {
  if (!promised.settings.key)
    return problem(`${status} from ${host}: it requires a key`, `Give pool ${pool.name} one: key: \${VARIABLE}`)
  return problem(
    `${status} from ${host}: is ${keyFrom ?? 'its key'} right?`,
    `It is used in ${placeText(placeOf(pool, 'key'))}`,
  )
}

/** The name of the pool's model is not one of the backend's. */
export function unknownModel(
  { pool, host }: ExaminedReplica,
  status: number | undefined,
  listed: readonly string[] = [],
): Fault {
  const names = listed.length > 0 ? `It lists ${namesText(listed)}. ` : ''
  const text = `${host} does not know the model ${pool.model}${status === undefined ? '' : `: ${status}`}`
  return { ...problem(text, `${names}The name is in ${placeText(placeOf(pool, 'model'))}`), why: 'unknown model' }
}

/** A backend may list hundreds. */
export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(name => saidText(name, undefined))
  return shown.join(', ') + (names.length > shown.length ? ` and ${names.length - shown.length} more` : '')
}

/** A backend's own words, without secrets, on one short line. */
function saidText(text: string, key: string | undefined): string {
  const line = scrub(text, key === undefined ? [] : [key])
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT)}…` : line
}
