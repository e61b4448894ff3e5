import type { JWTPayload } from 'jose'
import type { EpochMs } from '../../../policy/config.ts'
import { LABEL } from '../../../wire/names.ts'
import { isId, plainLabel } from '../accounts.ts'
import { accountOf, type SignIn } from './sign-in.ts'

/** The sign-in that verified claims stand for; undefined when the claim of the account or `exp` is malformed. */
export function signInOf(
  claims: JWTPayload,
  {
    issuer,
    planClaim,
    labelClaim,
    accountClaim = 'sub',
  }: {
    issuer: string
    planClaim?: string | undefined
    labelClaim?: string | undefined
    accountClaim?: string | undefined
  },
): SignIn | undefined {
  const { exp, iat } = claims
  const subject = Object.hasOwn(claims, accountClaim) ? claims[accountClaim] : undefined
  if (typeof subject !== 'string' || subject === '' || subject.length > SUBJECT_MAX) return undefined
  const expiresAt = Math.floor((exp ?? Number.NaN) * 1000)
  if (!(expiresAt <= INSTANT_MAX)) return undefined
  const issuedAt = Math.floor((iat ?? 0) * 1000)
  const plan = textOf(claims, planClaim)
  const label = textOf(claims, labelClaim)
  return {
    account: accountOf(issuer, subject),
    issuer,
    subject,
    ...(plan !== undefined && isLine(plan) && { plan }),
    ...(label !== undefined && isLine(label) && !isId(label) && plainLabel(label) === label && { label }),
    issuedAt,
    expiresAt,
  }
}

function textOf(claims: JWTPayload, name: string | undefined): string | undefined {
  if (name === undefined || !Object.hasOwn(claims, name)) return undefined
  const value = claims[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Plan and label are shown to operators, in listings and alarms: one line without control characters. */
const isLine = (text: string): boolean => LINE.test(text)
const LINE = new RegExp(LABEL, 'u')

const SUBJECT_MAX = 255
/** The last instant that a Date can hold. */
const INSTANT_MAX: EpochMs = 8.64e15
