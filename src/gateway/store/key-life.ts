import type { EpochMs, Millis } from '../../policy/config.ts'
import { labelsText } from '../../policy/label-values.ts'
import type { LimitRule } from '../../policy/limits/rule.ts'
import type { KeyLife } from '../../records/key.ts'
import { limitText } from '../../wire/admin/limit.ts'
import { KEYS_KEPT, type KeyRecord, type Mint } from './key-store.ts'

/** Whether a key works at a moment. */
export const works = ({ status, expiresAt }: KeyLife, at: EpochMs): boolean =>
  status === 'active' && (expiresAt === undefined || at < expiresAt)

/** The status of a key at a moment, as it may be shown. */
export function statusAt(life: KeyLife, at: EpochMs): KeyRecord['status'] {
  if (life.status !== 'active' || works(life, at)) return life.status
  return life.replacedBy === undefined ? 'expired' : 'rotated'
}

/** Whether a key is the one that its name means: there may be a second one that it replaced and that still works. */
export const isNamed = (key: Pick<KeyRecord, 'name' | 'replacedBy'>, name: string | undefined): boolean =>
  key.name === name && key.replacedBy === undefined

/** Keys in the order of a listing: those that work before those that ended, of which the first ones are kept. */
export function listed(keys: readonly KeyRecord[]): KeyRecord[] {
  const isActive = ({ status }: KeyRecord) => status === 'active'
  return [...keys.filter(isActive), ...keys.filter(key => !isActive(key)).slice(0, KEYS_KEPT)]
}

/** A key as the audit names it: `svc_7Hq2… ci`. */
export const auditName = (mask: string, name: string | undefined): string =>
  name === undefined ? mask : `${mask} ${name}`

/** The audit's words for a mint. */
export function auditOfMint({
  key,
  name,
  life,
  models,
  addresses,
  limits,
  apart,
  labels,
}: Omit<Mint, 'owner'>): string {
  const narrowed = [
    life === undefined ? [] : [`for ${lifeText(life)}`],
    models ? [`models ${models.join(' ')}`] : [],
    addresses ? [`from ${addresses.join(' ')}`] : [],
    limits?.map(ownLimitText) ?? [],
    apart === undefined ? [] : [APART],
    labels ? [`labels ${labelsText(labels)}`] : [],
  ].flat()
  const named = auditName(key.prefix, name)
  return narrowed.length === 0 ? named : `${named}, ${narrowed.join(', ')}`
}

const APART = 'responses apart'

/** The audit's words for the limits that a rotation changed, and for a key that keeps responses apart; they follow the key's name. */
export function auditOfNext(limits: readonly LimitRule[] | undefined, apart: string | undefined): string {
  const changed = limits?.length === 0 ? ['no limits'] : (limits ?? []).map(ownLimitText)
  return [...changed, ...(apart === undefined ? [] : [APART])].map(text => `, ${text}`).join('')
}

const ownLimitText = ({ of: _key, ...limit }: LimitRule): string => limitText(limit)

/** How the audit says that a key was replaced and works on: `svc_7Hq2… ci, for 24h more`; by itself what follows its name. */
export const auditOfGrace = (grace: Millis): string => `, for ${lifeText(grace)} more`

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** `90d` */
function lifeText(life: Millis): string {
  const [unit, length] = UNITS.find(([, length]) => life % length === 0) ?? ['ms', 1]
  return `${life / length}${unit}`
}
