import type { Secret, Settings } from '../../config/settings.ts'
import { asMask, isId, isKeyId, isOrg } from '../../gateway/accounts/accounts.ts'
import { hashOf, isWellFormed, withoutKeys } from '../../gateway/accounts/keys.ts'
import type { Pools } from '../../gateway/pools/pools.ts'
import type { Clock, Random } from '../../gateway/ports.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Config } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { Role } from '../../wire/admin/role.ts'
import type { AnswerOf, BodyOf, OperationCall } from '../../wire/admin-api/call.ts'
import type { PoolsNow } from '../shown-pools.ts'

/** The context of an admin operation: the parts of a running gateway, or a store that no gateway runs on. */
export interface AdminContext extends Pick<PoolsNow, 'poolsOfOthers'> {
  readonly config: Config
  readonly settings: Settings
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** The state of the pools of a running gateway. */
  readonly pools?: Pools
  /** The secrets from which guests' keys are derived, newest first. */
  readonly guestSecrets: readonly Secret[]
  /** The operator who runs it, for the audit. */
  readonly by: string
  /** The role of that operator. `needs` of the operation was compared with it; some fields of a body need more. */
  readonly role: Role
  /** The key that a repetition of the operation has too, where the operator sent one and the operation looks at it. */
  readonly repeatKey?: string
}

/** A row of the admin table: one operation of operators. Where no gateway runs, svcctl runs it on the store by itself. */
export interface AdminOp {
  readonly declared: OperationCall
  readonly run: (context: AdminContext, body: unknown) => Promise<object | Denied>
}

/** Binds an operation to its declaration, which has checked the body. */
export const opOf = <C extends OperationCall>(
  declared: C,
  run: (context: AdminContext, body: BodyOf<C>) => Promise<AnswerOf<C> | Denied>,
): AdminOp => ({ declared, run: run as AdminOp['run'] })

/** A plan that the configuration does not declare; undefined when it does. */
export function unknownPlan({ plans }: Config, plan: string): Denied | undefined {
  if (plans.has(plan)) return undefined
  return invalid('plan', `no such plan \`${plan}\`; there are ${[...plans.keys()].join(', ')}`)
}

type AdminStore = Pick<AdminContext, 'store' | 'settings'>

/** The one account with this id or label, or with this key. */
export async function accountNamed(context: AdminStore, named: string): Promise<AccountRecord | Denied> {
  const { store } = context
  if (isKeyLike(context, named)) {
    const key = await keyNamed(context, named)
    return 'denial' in key ? key : ((await store.accounts.find(key.account)) ?? noAccount(key.account))
  }
  const account = await store.accounts.find(named)
  if (account) return account
  // Users who sign in may choose another account's id, or an org, as their label.
  if (isId(named)) return noAccount(named)
  if (isOrg(named)) return invalid('account', 'is an org: name one account')
  const [labelled, another, ...more] = await store.accounts.findByLabel(named)
  if (labelled && another) return ambiguous('account', named, [labelled, another, ...more])
  return labelled ?? noAccount(named)
}

export const noAccount = (named: string): Denied => invalid('account', `there is no account \`${withoutKeys(named)}\``)

/** A text that may be a key is looked for as one, and never repeated. */
const isKeyLike = ({ settings }: AdminStore, named: string): boolean => named.startsWith(`${settings.brand}_`)

/** Several accounts may call themselves the same; an id is unique. */
export const ambiguous = (field: string, named: string, accounts: readonly AccountRecord[]): Denied =>
  invalid(
    field,
    `several accounts are called \`${withoutKeys(named)}\`; use an id: ${accounts.map(each => each.account).join(', ')}`,
  )

/** The one active key with this full or masked value, or of the account with this id or label. */
export async function activeKeyNamed(context: AdminStore, named: string): Promise<KeyRecord | Denied> {
  const key = await keyNamed(context, named)
  return 'denial' in key || key.status === 'active' ? key : endedKey(key)
}

export const endedKey = ({ keyPrefix, status }: KeyRecord): Denied => ({
  denial: { code: 'NOT_FOUND', problem: `No active key has this value: ${keyPrefix} was ${status}.` },
})

/** The active key that `named` means, else one that ended. */
export async function keyNamed(context: AdminStore, named: string): Promise<KeyRecord | Denied> {
  const { brand } = context.settings
  if (isKeyId(named)) {
    const found = (await context.store.keys.list()).find(({ id }) => id === named)
    return found ?? { denial: { code: 'NOT_FOUND', problem: `No key has the id ${named}.` } }
  }
  if (!isKeyLike(context, named)) return keyOfAccount(context, named)
  const hash = isWellFormed(brand, named) ? hashOf(named) : undefined
  const working = hash === undefined ? undefined : await activeKey(context, hash)
  if (working) return working
  const keys = await context.store.keys.list()
  const fitting = keys.filter(key => (hash === undefined ? key.keyPrefix === asMask(named) : key.hash === hash))
  const active = fitting.filter(({ status }) => status === 'active')
  const [key, another] = active.length > 0 ? active : fitting
  if (another) return invalid('key', 'several keys have this mask; use the full value, or the account')
  // Never the value itself: it may be a key of another gateway.
  return key ?? { denial: { code: 'NOT_FOUND', problem: 'No key has this value.' } }
}

/** An active key, found without reading all there are. */
export async function activeKey({ store }: AdminStore, hash: string): Promise<KeyRecord | undefined> {
  const caller = await store.keys.findCaller(hash)
  return caller && (await store.keys.listOf(caller.account)).find(key => key.hash === hash)
}

async function keyOfAccount(context: AdminStore, named: string): Promise<KeyRecord | Denied> {
  const account = await accountNamed(context, named)
  if ('denial' in account) return account
  const keys = await context.store.keys.listOf(account.account)
  const [key = keys[0], another] = keys.filter(({ status }) => status === 'active')
  if (another) {
    const ids = keys.flatMap(({ status, id, name = 'the first' }) => (status === 'active' ? [`${id} (${name})`] : []))
    return invalid('key', `${account.label} has several keys; use an id: ${ids.join(', ')}`)
  }
  return key ?? { denial: { code: 'NOT_FOUND', problem: `${account.label} has no key.` } }
}

/** The account and the id of the key that an operator names, where either is named. */
export async function ownerIn(
  context: AdminStore,
  { account: named, key: keyText }: { readonly account?: string; readonly key?: string },
): Promise<{ readonly account?: string; readonly key?: string } | Denied> {
  const account = named === undefined ? undefined : await accountNamed(context, named)
  if (account && 'denial' in account) return account
  const key = keyText === undefined ? undefined : await keyNamed(context, keyText)
  if (key && 'denial' in key) return key
  // All that came with a key is of its account, where a store finds it without looking at that of others.
  const owner = account?.account ?? key?.account
  return { ...(owner !== undefined && { account: owner }), ...(key && { key: key.id }) }
}
