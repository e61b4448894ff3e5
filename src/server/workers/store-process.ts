import { rm } from 'node:fs/promises'
import { steadyClock } from '../../adapters/embedded/steady-clock.ts'
import { openEmbeddedStore } from '../../adapters/embedded/store.ts'
import { Metrics } from '../../adapters/metrics/metrics.ts'
import { StoreServer } from '../../adapters/remote/store-server.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { exitCodes } from '../failure.ts'
import { version } from '../version.ts'
import { within } from '../world.ts'
import { type Channel, Peer } from './peer.ts'
import type { StoreCalls, StoreNews, StoreTask } from './store-child.ts'
import { vitalsReader } from './vitals.ts'

/**
 * The process that has the embedded store and serves it to workers. It does nothing else, so that neither a reload nor a
 * large body can hold it up. It ends with the process that started it, and leaves what that would have left.
 */
let close = async () => {}
let closing: Promise<boolean> | undefined
const metrics = new Metrics()
const vitals = vitalsReader()
const calls: StoreCalls = {
  serve,
  close: closed,
  metrics: async () => ({ counted: await metrics.json(), vitals: vitals(), underWay: 0 }),
}
const main = new Peer<StoreNews>(process as Channel, calls)

// Signals go to all processes of a terminal: this one ends when it is asked to, or when main is gone.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('SIGHUP', () => {})
process.on('disconnect', async () => {
  // The next gateway waits for the store, and no longer for a disk that does not answer.
  const isWritten = (await within(FLUSH_MS, closed())) && (await closed())
  process.exit(isWritten ? 0 : exitCodes.unwritten)
})

async function serve({ path, socket, memory, patience }: StoreTask): Promise<void> {
  const alarm: Alarm = (message, details = {}) => main.tell('alarm', message, details)
  const now = steadyClock(Date.now, () => performance.now())
  const store = await openEmbeddedStore({ path, now, wrote: metrics.wrote, memory, patience, alarm })
  // A killed process left the socket: the directory is locked, so that no process listens.
  await rm(socket, { force: true })
  const server = new StoreServer({
    store,
    abandon: ids => store.abandon(ids),
    version,
    alarm,
  })
  await server.listen(socket)
  close = async () => {
    await server.close()
    await store.close()
  }
}

/** How long what waits may take to be written once main is gone. */
const FLUSH_MS: Millis = 4000

/** Whether all was written. */
function closed(): Promise<boolean> {
  closing ??= close().then(
    () => true,
    () => false,
  )
  return closing
}
