import { fetchProvider } from '../../adapters/identity/provider.ts'
import { causeOf } from '../../adapters/identity/provider-keys.ts'
import { counted } from '../../config/format/problem-text.ts'
import { isLoopback } from '../../config/model/formats.ts'
import type { Loaded } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import type { ClockReading } from '../../gateway/doctor/replica.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { Watched } from './check-machine.ts'
import { codeOf } from './report.ts'

interface Checked {
  readonly finding: Finding
  readonly watched: readonly Watched[]
}

/** Whether the identity provider gives what tokens are judged by. */
export async function checkIdentity({ settings, fields }: Loaded, clock: Clock, limit: Millis): Promise<Checked> {
  const { identity } = settings
  if (!identity)
    return { finding: { ...COMMON, subject: 'none', state: 'ok', text: 'none: only operators mint keys' }, watched: [] }
  const { issuer } = identity
  if (issuer === undefined)
    return { finding: { ...COMMON, subject: 'none', state: 'ok', text: SERVICES_ALONE }, watched: [] }
  const common = { ...COMMON, subject: issuer }
  if (hasStandIn(issuer)) return { finding: { ...common, state: 'ok', text: issuer }, watched: [] }
  const readings: ClockReading[] = []
  let from = clock.now()
  const hear = (headers: Readonly<Record<string, unknown>>) => {
    const theirs = Date.parse(String(headers.date)) + (Number(headers.age) || 0) * 1000
    const to = clock.now()
    if (!Number.isNaN(theirs)) readings.push({ theirs, from, to })
    from = to
  }
  const watched = (): Watched[] =>
    readings.length > 0 ? [{ who: 'the identity provider', kind: 'identity', readings }] : []
  try {
    const { keys } = await fetchProvider(issuer, AbortSignal.timeout(limit), hear)
    const text = `${issuer}, ${counted(keys.length, 'signing key')}`
    return { finding: { ...common, state: 'ok', text }, watched: watched() }
  } catch (error) {
    const field = fields.get('identity.issuer')
    const place = field ? ` (${field.file}:${field.line})` : ''
    return { finding: { ...common, state: 'problem', ...failureOf(issuer, error, limit, place) }, watched: watched() }
  }
}

const COMMON = { check: 'identity' }
const SERVICES_ALONE = 'none for people: only services have tokens'

function failureOf(issuer: string, error: unknown, limit: Millis, place: string): Pick<Finding, 'text' | 'hint'> {
  const code = codeOf(error)
  if (error instanceof Error && error.name === 'TimeoutError')
    return { text: `${issuer} does not answer within ${limit / 1000} s`, hint: `${CLOSED}.` }
  if (code !== undefined) {
    const local = isLoopback(new URL(issuer).hostname) ? '. To try things out: svcctl serve --demo brings its own' : ''
    return { text: `${issuer} does not answer: ${code}`, hint: `${CLOSED}${local}${place}` }
  }
  const cause = causeOf(error)
  const hint = cause.includes('another issuer')
    ? `Write the issuer as the provider does, to the letter${place}`
    : `${CLOSED}. Is the issuer right?${place}`
  return { text: `${issuer}: ${cause}`, hint }
}

const CLOSED = 'Sign-in, and keys that users mint, do not work until it does'
