import type { JWTPayload } from 'jose'
import type { ServiceAccounts } from '../../../config/settings.ts'
import { matchesText } from '../../../policy/match-text.ts'
import { serviceClaim } from '../../../policy/plan.ts'
import { signInOf } from './claims.ts'
import { accountOf, type BadToken, type SignIn } from './sign-in.ts'

/** The account of a service token, from the first entry that matches its claims. */
export function serviceOf(
  claims: JWTPayload,
  { issuer, accounts }: { readonly issuer: string; readonly accounts: readonly ServiceAccounts[] },
): SignIn | BadToken | undefined {
  const entry = accounts.find(each => fits(claims, each))
  if (!entry) return NO_ENTRY
  const value = claimOf(claims, entry.accountClaim)
  if (value === undefined)
    return { problem: `This token lacks the claim \`${entry.accountClaim}\`, which names its account.` }
  const known = signInOf(claims, { issuer, labelClaim: entry.accountClaim })
  // The id includes the entry, so that a token of another entry never gets this entry's plan.
  const plan = entry.limits ? serviceClaim(entry.plan, issuer, entry.name) : entry.plan
  return known && { ...known, account: accountOf(`${issuer} ${entry.name}`, value), plan, isService: true }
}

const fits = (claims: JWTPayload, { claims: wanted }: ServiceAccounts): boolean =>
  [...wanted].every(([name, texts]) => {
    const value = claimOf(claims, name)
    return value !== undefined && texts.some(text => matchesText(value, text))
  })

function claimOf(claims: JWTPayload, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

const NO_ENTRY: BadToken = {
  problem: 'This token is valid, but its claims match no entry of its issuer: ask the operator.',
}
