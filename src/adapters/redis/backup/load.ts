import { randomBytes } from 'node:crypto'
import { type Restoring, StoreNotEmpty } from '../../../gateway/backup/restore.ts'
import { batchesOf } from '../../../gateway/batches.ts'
import { STORE_SILENCE_MS } from '../../../gateway/patience.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import type { EpochMs } from '../../../policy/config.ts'
import { dayAt } from '../../../policy/counters/account-counters.ts'
import type { Member } from '../../../wire/admin/fleet.ts'
import { readAddress } from '../address.ts'
import type { Link, Server } from '../client.ts'
import { BUCKETS, ClusterLayout, Layout } from '../layout.ts'
import { checkCertificates, checkServer, StoreRefused } from '../server-check.ts'
import { Cluster } from '../servers/cluster.ts'
import { DedicatedConnections } from '../servers/dedicated-connections.ts'
import { OneServer } from '../servers/one-server.ts'
import type { Shard } from '../servers/shards.ts'
import { tagIn } from '../servers/slots.ts'
import { bucketEpoch, RESTORING, SEARCHED, SHAPED, SHAPED_ON, schemaOf } from '../store-identity.ts'
import { BulkWriter } from './bulk-writer.ts'
import { scan } from './names.ts'

export interface RedisTarget {
  readonly server: Server
  readonly prefix: string
  /** How it is shown. */
  readonly shown: string
  readonly now: () => EpochMs
}

/**
 * Fills a store in Redis that no gateway uses. Until it is whole the store says that it is being restored, and is refused;
 * after a restore that was killed the next one begins anew. Rejects with StoreNotEmpty, StoreRefused, StoreUnavailable, or as
 * `records` does.
 */
export async function loadRedis(target: RedisTarget, { records, replace }: Restoring): Promise<void> {
  const { server, prefix, shown, now } = target
  checkCertificates(server.tls)
  const { isCluster } = readAddress(server.url)
  const layout = isCluster ? new ClusterLayout(prefix) : new Layout(prefix)
  const admit = async ({ client }: Link, { slots }: Shard) =>
    void (await checkServer(client, layout, isCluster, isCluster ? tagIn(slots) : ''))
  const quiet = () => {}
  const common = { server, owners: layout.owners, alarm: quiet, answerMs: STORE_SILENCE_MS, admit, back: quiet }
  const shards = isCluster ? new Cluster({ ...common, gained: async () => {} }) : new OneServer(common)
  const dedicated = new DedicatedConnections(shards)
  try {
    await shards.open()
    const isHalf = (await dedicated.run(layout.meta, client => client.hGet(layout.meta, RESTORING))) !== null
    if (!isHalf && !replace && (await hasData(dedicated, layout))) throw new StoreNotEmpty(shown)
    await refuseUsed(dedicated, layout, now())
    await begin(dedicated, layout)
    const writer = new BulkWriter(dedicated, layout, NO_EPOCH, now)
    for await (const batch of batchesOf(records, BATCH)) await writer.take(batch)
    await end(dedicated, layout, await writer.end(), now())
  } catch (error) {
    throw isOfRedis(error) ? new StoreUnavailable(`the store broke off: ${error.message}`, { cause: error }) : error
  } finally {
    dedicated.close()
    shards.close()
  }
}

/** The error of a connection, or of a server that refuses a command. */
const isOfRedis = (error: unknown): error is Error =>
  error instanceof Error && (OF_CLIENT.has(error.constructor.name) || /^[A-Z]+ /.test(error.message))

const OF_CLIENT: ReadonlySet<string> = new Set([
  'ClientClosedError',
  'SocketClosedUnexpectedlyError',
  'SocketTimeoutError',
])

/** Scripts of a gateway that still runs know another epoch. */
const NO_EPOCH = 'restoring'

/** A store that a gateway began and that none ever used is empty. */
async function hasData(dedicated: DedicatedConnections, layout: Layout): Promise<boolean> {
  for (const name of BUCKETS) {
    const { ledger, keys, audit } = layout.bucket(name)
    if ((await dedicated.run(ledger, client => client.exists([ledger, keys, audit]))) > 0) return true
  }
  for await (const _ of scan(dedicated, layout.everyAccount)) return true
  return false
}

/** Gateways that announced themselves would go on in the middle of it. */
async function refuseUsed(dedicated: DedicatedConnections, layout: Layout, now: EpochMs): Promise<void> {
  const { members } = layout.fleet
  const known = await dedicated.run(members, client => client.hVals(members))
  const names = known.flatMap(text => {
    const at = text.indexOf(' ')
    return Number(text.slice(0, at)) > now ? [(JSON.parse(text.slice(at + 1)) as Member).name] : []
  })
  if (names.length > 0) throw new StoreRefused(`gateways use it (${names.join(', ')}): stop them first`)
}

async function begin(dedicated: DedicatedConnections, layout: Layout): Promise<void> {
  const { meta } = layout
  await dedicated.run(meta, async client => {
    await client.hSet(meta, RESTORING, 'since a restore began')
    await client.hDel(meta, ['epoch', 'candidate', 'since', 'minted', SHAPED, SHAPED_ON])
  })
  for (const { epoch } of layout.buckets()) await dedicated.run(epoch, client => client.set(epoch, NO_EPOCH))
  const kept = new Set([meta, ...layout.buckets().map(({ epoch }) => epoch)])
  let removed: Promise<number>[] = []
  for await (const name of scan(dedicated, layout.like('*'))) {
    if (!kept.has(name)) removed.push(dedicated.run(name, client => client.unlink(name)))
    if (removed.length < REMOVED_AT_ONCE) continue
    await Promise.all(removed)
    removed = []
  }
  await Promise.all(removed)
}

const REMOVED_AT_ONCE = 500

/** Records whose commands are sent without waiting for an answer. */
const BATCH = 500

/** The buckets first: a gateway that finds the epoch may use all of them. */
async function end(
  dedicated: DedicatedConnections,
  layout: Layout,
  facts: Awaited<ReturnType<BulkWriter['end']>>,
  now: EpochMs,
) {
  const { minted, epoch = randomBytes(12).toString('base64url'), since, steps } = facts
  for (const bucket of layout.buckets()) {
    const text = bucketEpoch(epoch, steps.get(bucket.epoch) ?? 0)
    await dedicated.run(bucket.epoch, client => client.set(bucket.epoch, text))
  }
  const schema = schemaOf(layout, Math.max(0, ...steps.values()))
  const identity = { epoch, candidate: epoch, schema, since: Math.min(since, dayAt(now)), minted, [SEARCHED]: 1 }
  await dedicated.run(layout.meta, async client => {
    await client.hSet(layout.meta, identity)
    await client.hDel(layout.meta, RESTORING)
  })
}
