import { isId, isOrg, type MintedKey, mintKey, plainLabel } from '../../gateway/accounts/accounts.ts'
import { isOfSignIn } from '../../gateway/accounts/invitations.ts'
import type { KeyWish } from '../../gateway/accounts/key-wish.ts'
import { type FreshKey, idOfHash, newFreshKey, storedKeyOf } from '../../gateway/accounts/keys.ts'
import { repeatableKey } from '../../gateway/accounts/repeatable-key.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import { isNamed } from '../../gateway/store/key-life.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { planName } from '../../policy/plan.ts'
import { shownKey } from '../../wire/admin/key.ts'
import { isRoleFor } from '../../wire/admin/role.ts'
import { REPEAT_HEADER } from '../../wire/admin/user.ts'
import type { AnswerOf, BodyOf } from '../../wire/admin-api/call.ts'
import type { mintKey as mintKeyCall } from '../../wire/admin-api/keys.ts'
import { readWish, tooAlike, tooManyKeys } from '../key-fields.ts'
import { type AdminContext, accountNamed, ambiguous, unknownPlan } from './op.ts'
import { lacksRole } from './operator.ts'

/** The answer to a mint or a rotation. */
export type ShownMint = AnswerOf<typeof mintKeyCall>

/** POST /admin/keys: a key for an account, which may begin here. */
export async function mint(context: AdminContext, body: BodyOf<typeof mintKeyCall>): Promise<ShownMint | Denied> {
  const { account: named, plan } = body
  const wrong = plan === undefined ? undefined : unknownPlan(context.config, plan)
  if (wrong) return wrong
  const wished = readWish(context.config, body)
  if ('denial' in wished) return wished
  const fresh = await freshKey(context, '/admin/keys', body)
  const wish = { ...wished, ...apartFor(context, fresh) }
  if (isId(named)) return mintFor(context, named, plan, wish, fresh)
  if (isOrg(named)) return invalid('account', 'is an org: a key belongs to one account, which may be in an org')
  const signedIn = await notTheirs(context, named)
  if (signedIn) return signedIn
  const { store, random, settings, by } = context
  const [known] = await store.accounts.findByLabel(named)
  const wrongForm = known ? undefined : otherForm(named)
  if (wrongForm) return wrongForm
  if (plan === undefined)
    return known ? mintFor(context, known.account, plan, wish, fresh) : invalid('plan', 'is required for a new account')
  const notTheirChoice = mayChoose(context, plan, known)
  if (notTheirChoice) return notTheirChoice
  const { brand } = settings
  const most = settings.limits.keysPerAccount
  const keepsPlan = !isRoleFor(context.role, 'admin')
  const asked = { brand, label: named, plan, keepsPlan, most, by, wish, fresh }
  return minted(context, ofRepetition(await mintKey(store.keys, random, asked), fresh))
}

/** A key to be made: a random one, or where the operator may repeat the request the one that a repetition makes again. */
export async function freshKey(context: AdminContext, path: string, body: object): Promise<FreshKey> {
  const { settings, store, random, repeatKey, by } = context
  const { brand } = settings
  if (repeatKey === undefined) return newFreshKey(brand, random)
  const value = await repeatableKey(store.keys, brand, { repeatKey, by, path, body })
  return { value, key: storedKeyOf(value) }
}

/**
 * A key whose value somebody of support has seen keeps its responses apart, and reads none that were kept before: support may mint a
 * key of a customer, and not read what the customer said.
 */
export const apartFor = ({ role }: AdminContext, { key }: FreshKey): { readonly apart?: string } =>
  isRoleFor(role, 'admin') ? {} : { apart: key.id ?? idOfHash(key.hash) }

/** A mint that made its key when it was sent before is answered as it was then. */
const ofRepetition = (made: MintedKey, fresh: FreshKey): MintedKey =>
  made.outcome === 'exists' && made.key.hash === fresh.key.hash
    ? { outcome: 'minted', key: made.key, value: fresh.value }
    : made

/** Why a repetition gets no key any more. */
export const endedBefore = ({ id, status }: Pick<KeyRecord, 'id' | 'status'>): Denied =>
  invalid(REPEAT_HEADER, `already made ${id}, which was ${status}: send another value for another key`)

/** Refuses a label that looks like another one: one account would be taken for the other. */
function otherForm(label: string): Denied | undefined {
  const plain = plainLabel(label)
  if (plain === label) return undefined
  const hint = plain === '' ? '' : `, and write \`${plain}\``
  return invalid('account', `has unusual characters: use their normal form (NFKC)${hint}`)
}

/** Plans of accounts are for `admin`: others open accounts on the default plan, and leave an account on the plan that it has. */
function mayChoose(
  { config, by, role }: AdminContext,
  plan: string,
  known: AccountRecord | undefined,
): Denied | undefined {
  if (isRoleFor(role, 'admin')) return undefined
  const free = known ? planName(config, known) : config.defaultPlan?.name
  if (plan === free) return undefined
  const choice = known ? `put ${known.label} on another plan` : `open an account on the plan ${plan}`
  return lacksRole({ by, role }, 'admin', `To ${choice}`)
}

/** A key for an account that is there already, on the plan it has unless one is given. */
async function mintFor(
  context: AdminContext,
  named: string,
  plan: string | undefined,
  wish: KeyWish,
  fresh: FreshKey,
): Promise<ShownMint | Denied> {
  const record = await accountNamed(context, named)
  if ('denial' in record) return record
  if (record.kind === 'guest') return invalid('account', 'is a device, whose key is derived from its device id')
  const { store, settings, by } = context
  const notTheirChoice = plan === undefined ? undefined : mayChoose(context, plan, record)
  if (notTheirChoice) return notTheirChoice
  const { account, terms } = record
  const working = (await store.keys.listOf(account)).filter(({ status }) => status === 'active')
  const same = working.find(key => isNamed(key, wish.name))
  if (same) return minted(context, ofRepetition({ outcome: 'exists', key: same }, fresh))
  const most = settings.limits.keysPerAccount
  if (working.length >= most) return minted(context, { outcome: 'full' })
  // First, so that the key never works on another plan.
  if (plan !== undefined && plan !== terms.override && isRoleFor(context.role, 'admin'))
    await store.accounts.changeTerms({ account, change: { override: plan }, by })
  const made = await store.keys.mint({ ...wish, key: fresh.key, owner: { account }, most, by })
  return minted(context, made.outcome === 'minted' ? { ...made, value: fresh.value } : ofRepetition(made, fresh))
}

/** Users who sign in may choose the label in their token: that must not lead to a key and a plan for them. */
async function notTheirs({ store }: AdminContext, label: string): Promise<Denied | undefined> {
  const accounts = await store.accounts.findByLabel(label)
  const [signedIn] = accounts.filter(({ account }) => isOfSignIn(account))
  if (!signedIn) return undefined
  if (accounts.length > 1) return ambiguous('account', label, accounts)
  return invalid('account', `an account that signed in calls itself \`${label}\`; if you mean it: ${signedIn.account}`)
}

export function minted({ config, settings }: AdminContext, made: MintedKey): ShownMint | Denied {
  if (made.outcome === 'alike') return tooAlike(made)
  if (made.outcome === 'full') return tooManyKeys('account', settings.limits.keysPerAccount)
  if (made.key.status !== 'active') return endedBefore(made.key)
  return {
    ...shownKey(config, made.key),
    existing: made.outcome === 'exists',
    base_url: `${settings.server.publicUrl}/v1`,
    ...(made.value !== undefined && { value: made.value }),
  }
}
