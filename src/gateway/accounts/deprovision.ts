import type { AccountStore } from '../store/account-store.ts'

type Accounts = Pick<AccountStore, 'find' | 'signIn' | 'changeTerms'>

/** How the audit names the identity provider. */
const BY = 'identity provider (SCIM)'

/** Whether the provider has not deactivated the person of this sign-in. */
export const isActive = async (accounts: Pick<AccountStore, 'find'>, signIn: string): Promise<boolean> =>
  (await accounts.find(signIn))?.terms.deactivated !== true

/**
 * Freezes the account of a person whom the provider deactivated, even before their first sign-in, or reverses that. An operator's
 * freeze stays. An account that only this person joined is frozen too; one that others joined stays theirs.
 */
export async function setActive(accounts: Accounts, signIn: string, active: boolean): Promise<void> {
  const known = await accounts.find(signIn)
  if (!known && active) return
  const change = { deactivated: !active }
  await accounts.changeTerms({ account: signIn, change, by: BY, opens: true })
  // The account is there, and a token older than every other changes nothing of it: this only finds the account that was joined.
  const { account } = await accounts.signIn({ account: signIn, issuedAt: -1 })
  if (account === signIn) return
  const joined = await accounts.find(account)
  if (active || joined?.signIns?.length === 1) await accounts.changeTerms({ account, change, by: BY })
}
