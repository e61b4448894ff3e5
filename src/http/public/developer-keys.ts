import { readLimitsOfKeys } from '../../gateway/accounts/limit-uses.ts'
import { countChange, mintOwnKey, type Owner, revokeOwnKey, rotateOwnKey } from '../../gateway/accounts/own-keys.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { Caller } from '../../policy/facts.ts'
import { planName } from '../../policy/plan.ts'
import { LIMIT } from '../../wire/admin/limit.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { keyFacts, ownKey } from '../../wire/key.ts'
import { validator } from '../../wire/openai/validate.ts'
import { checkOf } from '../../wire/schema/json-schema.ts'
import { closed, type Fields, list, optional, text } from '../../wire/schema/schema.ts'
import { SPAN, WISH_FIELDS } from '../../wire/wished-key.ts'
import { readLimits, readWish, spanIn, tooAlike, tooManyKeys } from '../key-fields.ts'
import type { HttpCall } from '../listener/call.ts'
import { readSmall } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the key endpoints. */
type KeysApp = Pick<ClientApp, 'config' | 'settings' | 'store' | 'random'>

const body = (fields: Fields) => validator(checkOf(closed(fields)))
const NAMED = { key: optional(text()), id: optional(text()) }
/** The limits that a key is to have from now on; none of them: no limits. */
const OTHER_LIMITS = optional(list(LIMIT, undefined, { most: 16 }))
const checkMint = body(WISH_FIELDS)
const checkRotate = body({ ...NAMED, grace: optional(SPAN), limits: OTHER_LIMITS })
const checkRevoke = body(NAMED)

/** POST /v1/keys/developer: the full value once, the masked one ever after. Without a name it is the account's first key. */
export async function mintKey(app: KeysApp, call: HttpCall, caller: Caller): Promise<void> {
  const read = await readSmall(call, checkMint, '{}')
  if ('denial' in read) return call.deny(read.denial)
  const { name, ...more } = read.body
  if (name === undefined && Object.keys(more).length > 0) return call.deny(NAMELESS.denial)
  const wish = readWish(app.config, read.body)
  if ('denial' in wish) return call.deny(wish.denial)
  const tooOften = await countChange(app.store.accounts, caller.account)
  if (tooOften) return call.deny(tooOften.denial)
  const owner = ownerOf(app, caller)
  const minted = await mintOwnKey(app.store.keys, app.random, owner, wish)
  if (minted.outcome === 'alike') return call.deny(tooAlike(minted).denial)
  if (minted.outcome === 'full') return call.deny(tooManyKeys('name', owner.most).denial)
  const { key, value = key.keyPrefix, outcome } = minted
  const existing = outcome === 'exists' ? { existing: true } : {}
  const facts = name === undefined ? {} : keyFacts(key)
  call.json(200, { key: value, plan: planName(app.config, caller), ...existing, ...facts }, UNCACHED)
}

const NAMELESS = invalid('name', 'is required for a key that is not the first one of the account')

/** POST /v1/keys/developer/rotate. */
export async function rotateKey(app: KeysApp, call: HttpCall, caller: Caller): Promise<void> {
  const read = await readNamed(call, checkRotate)
  if ('denial' in read) return call.deny(read.denial)
  const grace = spanIn(read.body.grace, 'grace')
  if ('denial' in grace) return call.deny(grace.denial)
  const otherLimits = readLimits(app.config, read.body)
  if ('denial' in otherLimits) return call.deny(otherLimits.denial)
  const tooMany = await countChange(app.store.accounts, caller.account)
  if (tooMany) return call.deny(tooMany.denial)
  const owner = ownerOf(app, caller)
  const { named } = read
  const change = { named, grace: grace.span, limits: otherLimits.limits }
  const rotated = await rotateOwnKey(app.store.keys, app.random, owner, change)
  // The caller learns nothing about anything else that it names.
  if (!rotated) return call.deny({ code: 'INVALID_KEY' })
  if ('outcome' in rotated) return call.deny(tooManyKeys('grace', owner.most).denial)
  const facts = rotated.key.name === undefined ? {} : keyFacts(rotated.key)
  call.json(200, { key: rotated.value, plan: planName(app.config, caller), rotated: true, ...facts }, UNCACHED)
}

/** POST /v1/keys/developer/revoke. */
export async function revokeKey(app: KeysApp, call: HttpCall, caller: Caller): Promise<void> {
  const read = await readNamed(call, checkRevoke)
  if ('denial' in read) return call.deny(read.denial)
  // Not counted: a key that leaked must end, however many were changed before. Without a mint it ends nothing more.
  const revoked = await revokeOwnKey(app.store.keys, ownerOf(app, caller), read.named)
  if (!revoked) return call.deny({ code: 'INVALID_KEY' })
  call.json(200, { key: revoked.keyPrefix, plan: planName(app.config, caller), revoked: true }, UNCACHED)
}

/** GET /v1/keys/developer: the keys that work, then those that ended. */
export async function listOwnKeys(app: KeysApp, call: HttpCall, caller: Caller): Promise<void> {
  const plan = planName(app.config, caller)
  const keys = await app.store.keys.listOf(caller.account)
  const working = keys.filter(({ status }) => status === 'active')
  const uses = await readLimitsOfKeys(app.config, app.store, caller, working)
  const data = keys.map(key => ownKey(key, plan, uses.get(key.id)))
  call.json(200, { object: 'list', data }, UNCACHED)
}

const ownerOf = ({ settings }: KeysApp, { account }: Caller): Owner => ({
  brand: settings.brand,
  account,
  most: settings.limits.keysPerAccount,
})

/** Reads a body that names a key by its value, masked or in full, or by its id. */
async function readNamed(
  call: HttpCall,
  check: ReturnType<typeof validator>,
): Promise<{ readonly body: JsonObject; readonly named: string } | Denied> {
  const read = await readSmall(call, check)
  if ('denial' in read) return read
  const { key, id } = read.body
  if (key !== undefined && id !== undefined) return invalid('id', 'and key exclude each other: send one of them')
  if (key === undefined && id === undefined) return invalid('key', 'is required')
  return { ...read, named: String(key ?? id) }
}
