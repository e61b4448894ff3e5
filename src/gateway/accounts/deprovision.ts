import type { AccountStore } from '../store/account-store.ts'

type Accounts = Pick<AccountStore, 'find' | 'signIn' | 'changeTerms' | 'changeContacts'>

/** How the audit names the identity provider. */
const BY = 'identity provider (SCIM)'

/** Whether the provider has not deactivated the person of this sign-in. */
export const isActive = async (accounts: Pick<AccountStore, 'find'>, signIn: string): Promise<boolean> =>
  (await accounts.find(signIn))?.terms.deactivated !== true

/**
 * Freezes the account of a person whom the provider deactivated, even before their first sign-in, or reverses that. An operator's
 * freeze stays. An account that only this person joined is frozen too; one that others joined stays theirs. Both lose their
 * addresses for notices, which may be the person's.
 */
export async function setActive(accounts: Accounts, signIn: string, active: boolean): Promise<void> {
  const known = await accounts.find(signIn)
  if (!known && active) return
  // A token older than every other changes nothing of an account: this only finds the one that was joined, or opens the person's own.
  const { account } = await accounts.signIn({ account: signIn, issuedAt: -1 })
  const isJoined = account !== signIn
  // Before the freeze: a provider that repeats an interrupted request still finds the person active. Later, the addresses are of those who stay.
  if (isJoined && !active && known?.terms.deactivated !== true)
    await accounts.changeContacts({ account, change: { mail: null, webhook: null }, by: BY })
  const change = { deactivated: !active }
  await accounts.changeTerms({ account: signIn, change, by: BY, opens: true })
  if (!isJoined) return
  const joined = await accounts.find(account)
  if (active || joined?.signIns?.length === 1) await accounts.changeTerms({ account, change, by: BY })
}
