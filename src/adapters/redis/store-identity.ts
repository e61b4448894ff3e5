import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_STEP } from '../../gateway/restrictions.ts'
import type { EpochMs } from '../../policy/config.ts'
import { dayAt } from '../../policy/counters/account-counters.ts'
import type { SchemaStep } from '../../records/terms.ts'
import type { Layout } from './layout.ts'
import { StoreRefused } from './server-check.ts'
import type { Ask } from './servers/shards.ts'

/** The identity that a store gets when it is created. Scripts compare the epoch, which distinguishes an emptied store from an unknown key. */
export interface StoreIdentity {
  readonly epoch: string
  /** Day of its creation, in days since the epoch. */
  readonly since: number
  readonly schema: number
}

/**
 * Reads the identity of the store, or creates it in an empty Redis. Rejects with StoreRefused where `stateDir` remembers
 * a store that is not there any more: the operator must confirm that it was emptied on purpose.
 */
export async function openIdentity(
  ask: Ask,
  layout: Layout,
  stateDir: string | undefined,
  now: EpochMs,
): Promise<StoreIdentity> {
  const found = await readIdentity(ask, layout)
  if (stateDir !== undefined) checkRemembered(stateDir, found)
  if (!found && stateDir === undefined)
    throw new StoreRefused('the store is empty: start a gateway first, which initialises it')
  const identity = found ?? (await createIdentity(ask, layout, now))
  if (stateDir !== undefined) remember(stateDir, identity.epoch)
  return identity
}

/** Throws StoreRefused where `stateDir` remembers another store. */
export function checkRemembered(stateDir: string, found: StoreIdentity | undefined): void {
  const remembered = recall(stateDir)
  if (remembered !== undefined && found?.epoch !== remembered) throw new StoreRefused(emptied(stateDir))
}

/** The identity of the store; undefined when it is empty. Throws StoreRefused for a schema of another version. */
export async function readIdentity(ask: Ask, layout: Layout): Promise<StoreIdentity | undefined> {
  const [epoch, schema, since, restoring] = await ask(layout.meta, client =>
    client.hmGet(layout.meta, ['epoch', 'schema', 'since', RESTORING]),
  )
  if (restoring) throw new StoreRefused('a restore into it is running, or was interrupted: repeat it')
  if (!epoch) return undefined
  if (Number(schema) < SCHEMA)
    throw new StoreRefused(
      `the store has schema ${Number(schema)}, which no release wrote; this version reads ${schemaOf(layout)} to ${schemaOf(layout, NEWEST_STEP)}`,
    )
  if (stepOfSchema(Number(schema)) > NEWEST_STEP)
    throw new StoreRefused(
      `the store has schema ${schema}, which a newer version wrote; this one reads up to ${schemaOf(layout, NEWEST_STEP)}`,
    )
  if (isOfCluster(Number(schema)) !== layout.isCluster)
    throw new StoreRefused(
      `the store was begun ${layout.isCluster ? 'on one server, and its keys lie otherwise in a cluster' : 'in a cluster, and its keys lie otherwise on one server'}: begin a new one`,
    )
  return { epoch, since: Number(since), schema: Number(schema) }
}

/** Creates the identity. Where many gateways do so at once, one wins and all read the same. */
async function createIdentity(ask: Ask, layout: Layout, now: EpochMs): Promise<StoreIdentity> {
  const { meta } = layout
  const begin = (field: string, value: string) => ask(meta, client => client.hSetNX(meta, field, value))
  await begin('candidate', randomBytes(12).toString('base64url'))
  const epoch = (await ask(meta, client => client.hGet(meta, 'candidate'))) ?? ''
  // The buckets first: a gateway that finds the epoch may use all of them.
  await Promise.all(
    layout.buckets().map(bucket => ask(bucket.epoch, client => client.set(bucket.epoch, epoch, { NX: true }))),
  )
  await begin('since', String(dayAt(now)))
  await begin('schema', String(schemaOf(layout)))
  await begin(SEARCHED, '1')
  await begin('epoch', epoch)
  const identity = await readIdentity(ask, layout)
  if (!identity) throw new StoreRefused('the store was emptied while it was opened')
  return identity
}

/** The schema of the first release. */
const SCHEMA = 2
/** That of a cluster, where limits that accounts share and totals of waste lie otherwise. */
const CLUSTER_SCHEMA = 3

/** The schema of a store whose restrictions have steps up to this one. Stores on one server have even numbers, those in a cluster odd ones. */
export const schemaOf = ({ isCluster }: Pick<Layout, 'isCluster'>, step = 0): number =>
  (isCluster ? CLUSTER_SCHEMA : SCHEMA) + 2 * step

const isOfCluster = (schema: number): boolean => schema >= CLUSTER_SCHEMA && schema % 2 === 1

/** The greatest step of the restrictions in a store. */
export const stepOfSchema = (schema: number): number =>
  Math.max(0, Math.floor((schema - (isOfCluster(schema) ? CLUSTER_SCHEMA : SCHEMA)) / 2))

/** The epoch of a bucket whose restrictions have steps up to this one. An older build finds another epoch than its own there. */
export const bucketEpoch = (epoch: string, step: number): string => (step === 0 ? epoch : `${epoch}+${step}`)

/** The epoch that scripts compare with that of their bucket, and the steps that this build knows and a call writes. */
export const knownEpoch = (epoch: string, writes: SchemaStep = 0): string =>
  writes === 0 ? `${epoch}+${NEWEST_STEP}` : `${epoch}+${NEWEST_STEP}+${writes}`

/** Reads what `bucketEpoch` made. */
export function readBucketEpoch(text: string): { readonly epoch: string; readonly step: number } {
  const [epoch = '', step = '0'] = text.split('+')
  return { epoch, step: Number(step) }
}

/** The field of the identity that says that the schema is that of all restrictions in the store. */
export const SEARCHED = 'searched'
/** The field which says that every label has its shapes, and the one with the day since when. */
export const SHAPED = 'shaped'
export const SHAPED_ON = 'shapedOn'

/** The field of the identity that marks an incomplete store. */
export const RESTORING = 'restoring'

const fileOf = (stateDir: string): string => join(stateDir, 'store-epoch')

const recall = (stateDir: string): string | undefined =>
  existsSync(fileOf(stateDir)) ? readFileSync(fileOf(stateDir), 'utf8').trim() || undefined : undefined

function remember(stateDir: string, epoch: string): void {
  if (recall(stateDir) === epoch) return
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileSync(fileOf(stateDir), `${epoch}\n`, { mode: 0o600 })
}

const emptied = (stateDir: string): string =>
  `the store is not the one that ${fileOf(stateDir)} remembers, with its keys and spend: restore it from a backup, or remove that file to use the store as it is`
