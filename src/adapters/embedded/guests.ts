import type { GuestMint, KeyRecord } from '../../gateway/accounts/account-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { newAccount } from './accounts.ts'
import { note } from './audit.ts'
import { recordOf, writeKey } from './keyring.ts'
import type { Records } from './records.ts'

/** The key of a device, also one that was revoked. */
export function findGuest(records: Records, account: string): KeyRecord | undefined {
  const known = records.accounts.get(account)
  const [hash] = known?.kind === 'guest' ? known.keys : []
  return hash === undefined ? undefined : recordOf(records, hash)
}

/** Writes once for a device: what comes after finds the key, and leaves it as it is. */
export async function mintGuest(records: Records, { account, key, by }: GuestMint, at: EpochMs): Promise<KeyRecord> {
  const known = findGuest(records, account)
  if (known) return known
  return records.transact(() => {
    const first = findGuest(records, account)
    if (first) return first
    if (by !== undefined) note(records, { at, by, action: 'mint', account, before: '', after: key.prefix })
    return writeKey(records, account, newAccount('guest', account, at), key, at)
  })
}
