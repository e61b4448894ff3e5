import type { AccountStore } from '../store/account-store.ts'

/** Gives the label of an account, for a reader of many rows of few accounts; undefined where there is no such account. */
export function labelsOf(accounts: Pick<AccountStore, 'find'>): (account: string) => Promise<string | undefined> {
  const labels = new Map<string, string | undefined>()
  return async account => {
    if (labels.has(account)) return labels.get(account)
    const label = (await accounts.find(account))?.label
    if (labels.size >= LABELS_KEPT) labels.clear()
    labels.set(account, label)
    return label
  }
}

/** So that memory does not grow with the accounts. */
const LABELS_KEPT = 10_000
