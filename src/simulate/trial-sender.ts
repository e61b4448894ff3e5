import { keyDenial } from '../gateway/accounts/identify.ts'
import type { AccountRecord } from '../gateway/store/account-store.ts'
import type { KeyRecord } from '../gateway/store/key-store.ts'
import type { Store } from '../gateway/store/store.ts'
import type { Config } from '../policy/config.ts'
import type { Denied } from '../policy/denial.ts'
import type { Step } from '../policy/explain.ts'
import type { Caller } from '../policy/facts.ts'

/** Who would send a request: an account by a sign-in, or one of its keys, whether that works or not. */
export interface TrialSender {
  readonly account: AccountRecord
  readonly key?: KeyRecord
  /** The address of its client. Without it, a key that works from some addresses alone counts as used from one of them. */
  readonly address?: string
}

/** The caller as a request would be identified, and the hash its key is admitted by. */
export interface FoundCaller {
  readonly caller: Caller
  readonly keyHash?: string
}

/** Identifies the sender as the gateway would, but for the secret of the key, which nobody needs here. */
export async function callerFrom(
  { config, store }: { readonly config: Config; readonly store: Pick<Store, 'keys' | 'orgs'> },
  sender: TrialSender,
): Promise<FoundCaller | Denied> {
  const { account, kind, terms } = sender.account
  // A device has no sign-in.
  const key = sender.key ?? (kind === 'guest' ? await store.keys.findGuest(account) : undefined)
  if (key) return callerOfKey(config, store, key, sender.address)
  if (kind === 'guest') return INVALID_KEY
  const org = terms.org === undefined ? undefined : await store.orgs.find(terms.org)
  return { caller: { kind, account, keyPrefix: null, terms, ...(org && { orgTerms: org.terms }) } }
}

async function callerOfKey(
  config: Config,
  { keys }: Pick<Store, 'keys'>,
  { hash, status }: KeyRecord,
  address: string | undefined,
): Promise<FoundCaller | Denied> {
  const found = status === 'active' ? await keys.findCaller(hash) : undefined
  if (!found) return INVALID_KEY
  const { addresses, ...anywhere } = found
  const denied = address === undefined ? keyDenial(config, anywhere, NOWHERE) : keyDenial(config, found, at(address))
  return denied ?? { caller: found, keyHash: hash }
}

const at = (clientAddress: string) => ({ clientAddress })
const NOWHERE = at('')

const INVALID_KEY: Denied = { denial: { code: 'INVALID_KEY' } }

/** The step of a sender who is refused before the body is read. */
export function whoRefused({ key }: TrialSender, { denial }: Denied): Step {
  const step = { stage: 'who', outcome: 'deny' } as const
  if (!key) return { ...step, text: denial.code }
  if (denial.code === 'ADDRESS_NOT_ALLOWED')
    return {
      ...step,
      text: `key ${key.id} works only from ${key.addresses?.join(', ')}, not from ${denial.address}`,
    }
  return { ...step, text: `key ${key.id} does not work: it ${ENDS[key.status]}` }
}

const ENDS: Readonly<Record<KeyRecord['status'], string>> = {
  active: 'is no longer served',
  expired: 'has expired',
  revoked: 'was revoked',
  rotated: 'was replaced by a rotation',
}
