import type { AccountRecord, SignedIn, TermsChange } from '../../gateway/accounts/account-store.ts'
import { changed, withClaim } from '../../gateway/admission/terms.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { note } from './audit.ts'
import { pagesOf } from './pages.ts'
import { type Account, accountOf, type Records, readAccount, writeAccount } from './records.ts'

/** Writes only what the token changes: most sign-ins are those of before. */
export async function signIn(records: Records, token: SignedIn, at: EpochMs): Promise<Caller> {
  const { account } = token
  const known = readAccount(records, account)
  if (!known || signedIn(records, known, token) !== known)
    await records.transact(() => {
      const before = readAccount(records, account)
      const after = signedIn(records, before ?? newAccount('developer', account, at), token)
      if (after !== before) relabel(records, account, before, after)
    })
  const { kind, terms, activeKey } = accountIn(records, account)
  const keyPrefix = activeKey === null ? null : (records.keys.get(activeKey)?.keyPrefix ?? null)
  return { kind, account, keyPrefix, terms }
}

export function findAccount(records: Records, account: string): AccountRecord | undefined {
  const found = readAccount(records, account)
  return found && recordOf(account, found)
}

export async function* readAccounts({ accounts }: Records): AsyncGenerator<AccountRecord, void, undefined> {
  for await (const page of pagesOf(accounts)) for (const { key, value } of page) yield recordOf(key, accountOf(value))
}

export function findAccounts(records: Records, label: string): AccountRecord[] {
  const opened = records.labels.get(label)
  const ids = [...(opened === undefined ? [] : [opened]), ...signedInUnder(records, label)]
  return ids.flatMap(id => findAccount(records, id) ?? [])
}

export function changeTerms(
  records: Records,
  { account, change, by }: TermsChange,
  at: EpochMs,
): Promise<AccountRecord | undefined> {
  return records.transact(() => {
    const known = readAccount(records, account)
    if (!known) return undefined
    const { terms, ...said } = changed(known.terms, change)
    writeAccount(records, account, { ...known, terms })
    note(records, { at, by, account, ...said })
    return findAccount(records, account)
  })
}

const recordOf = (account: string, { kind, label, terms, createdAt }: Account): AccountRecord => ({
  account,
  kind,
  label,
  terms,
  createdAt,
})

export const newAccount = (kind: Account['kind'], label: string, createdAt: EpochMs): Account => ({
  kind,
  label,
  terms: {},
  activeKey: null,
  keys: [],
  createdAt,
})

/** An account that something else in the files names. */
export function accountIn(records: Records, account: string): Account {
  const found = readAccount(records, account)
  if (!found) throw new Error(`there is no account ${account}`)
  return found
}

/** The account as its token has it; the same object when that changes nothing. A token without a label leaves it. */
function signedIn(records: Records, known: Account, { account, claimed, label, issuedAt = 0 }: SignedIn): Account {
  // A token from before the one that was believed says nothing new.
  if (issuedAt < (known.believedAt ?? 0)) return known
  // A label that an operator gave stays.
  const shown = records.labels.get(known.label) === account ? known.label : (label ?? known.label)
  if (shown === known.label && claimed === known.terms.claimed) return known
  return { ...known, label: shown, terms: withClaim(known.terms, claimed), believedAt: issuedAt }
}

function relabel(records: Records, id: string, before: Account | undefined, after: Account): void {
  const { signInLabels } = records
  writeAccount(records, id, after)
  if (before?.label === after.label) return
  if (before) signInLabels.remove([before.label, id])
  signInLabels.put([after.label, id], true)
}

function signedInUnder({ signInLabels }: Records, label: string): string[] {
  const ids: string[] = []
  for (const [name, account] of signInLabels.getKeys({ start: [label] })) {
    if (name !== label) break
    ids.push(account)
  }
  return ids
}
