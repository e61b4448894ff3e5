import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isStore } from '../../config/model/store-address.ts'
import { storeOf } from '../../config/resolve/resolve.ts'
import type { Settings, StoreSettings } from '../../config/settings.ts'
import { Sums, type WrongSums } from '../../gateway/backup/sums.ts'
import type { RecordKind, StoreRecord } from '../../gateway/store/record.ts'
import type { Store } from '../../gateway/store/store.ts'
import { refuseRunning } from '../../operator/connect.ts'
import { loadForStore } from '../../operator/load-files.ts'
import { CommandFailed, exitCodes, storeFailure, storeText } from '../../server/failure.ts'
import { alarmLine } from '../../server/log/line.ts'
import { fillStore } from '../../server/state/fill-store.ts'
import { openStore } from '../../server/state/open-store.ts'
import { refuseDamaged } from '../../server/store-check.ts'
import { world } from '../../server/world.ts'
import { confirm, mayAsk, writeOut } from '../kit/terminal.ts'
import type { MigrateOptions } from './store.ts'

/** Copies a store into another one, and reads the copy again. */
export async function migrate(
  from: string,
  to: string,
  { config, replace = false, yes }: MigrateOptions,
): Promise<void> {
  if (replace) mayAsk(yes)
  const { settings } = loadForStore(config)
  const [source, target] = [storeNamed(from, settings), storeNamed(to, settings)]
  if (storeText(source) === storeText(target)) throw new CommandFailed('✗ both are the same store', exitCodes.usage)
  await refuseRunning(config)
  refuseWaiting(source, settings)
  if (replace) await confirm(`This deletes everything in ${storeText(target)}. Copy into it?`, yes)
  const copied = await withStore({ ...settings, store: source }, async store => {
    await refuseUsed(store, source)
    const tally = new Tally(settings.ledger.keep)
    await fillStore({ ...settings, store: target }, world, { records: tally.through(store.dump()), replace }).catch(
      error => {
        throw storeFailure(error, target) ?? error
      },
    )
    return tally
  })
  const read = await withStore({ ...settings, store: target }, async store => {
    const tally = new Tally(settings.ledger.keep)
    for await (const _ of tally.through(store.dump()));
    return tally
  })
  expectWhole(copied, read, target)
  const counts = SHOWN.map(([kind, name]) => `${copied.counts[kind] ?? 0} ${name}`).join(', ')
  await writeOut([`✓ ${storeText(target)} has ${counts}\n  set \`store\` to it in the files, and start the gateways\n`])
}

const SHOWN: readonly (readonly [RecordKind, string])[] = [
  ['account', 'accounts'],
  ['key', 'keys'],
  ['row', 'ledger rows'],
  ['audit', 'audit rows'],
]

/** An address, a YAML file, or the store of the configuration. */
export function storeNamed(named: string, settings: Pick<Settings, 'store'>): StoreSettings {
  if (/\.ya?ml$/.test(named)) return loadForStore(named).settings.store
  const { store } = settings
  if (named === 'embedded:' && store.kind === 'embedded') return store
  if (!isStore(named))
    throw new CommandFailed(
      `✗ ${named} is not a store: write embedded:PATH, redis://…, or a YAML file`,
      exitCodes.usage,
    )
  const written = storeOf(named, new Map(), process.cwd())
  // With the password and the certificates that the files have.
  return storeText(written) === storeText(store) ? store : written
}

/** Refuses a store in use: writes of gateways meanwhile would be in no copy. */
async function refuseUsed({ fleet }: Store, source: StoreSettings): Promise<void> {
  const { members } = await fleet.read()
  const names = members.map(({ name }) => name).join(', ')
  if (names !== '') throw new CommandFailed(`✗ gateways use ${storeText(source)} (${names}): stop them first`)
}

/** Settlements that wait for Redis on this disk would be read by no other store. */
function refuseWaiting({ kind }: StoreSettings, { server }: Settings): void {
  const directory = join(server.stateDir, 'spool')
  const waits = ['spool.ndjson', 'spool.telling.ndjson'].some(name => existsSync(join(directory, name)))
  if (kind === 'redis' && waits)
    throw new CommandFailed(
      `✗ settlements wait for the store in ${directory}: start the gateway, and stop it once they are written`,
    )
}

async function withStore<T>(settings: Settings, run: (store: Store) => Promise<T>): Promise<T> {
  const alarm = (message: string, details?: Parameters<typeof alarmLine>[1]) =>
    console.error(alarmLine(message, details))
  await refuseDamaged(settings)
  const store = await openStore(settings, world, alarm, 'tool').catch(error => {
    throw storeFailure(error, settings.store) ?? error
  })
  try {
    return await run(store)
  } catch (error) {
    throw storeFailure(error, settings.store) ?? error
  } finally {
    await store.close()
  }
}

/** Counts records as they pass. */
class Tally {
  readonly counts: Partial<Record<RecordKind, number>> = {}
  readonly #sums: Sums

  constructor(keep: number) {
    const now = world.clock.now()
    this.#sums = new Sums(now, now - keep)
  }

  get wrong(): readonly WrongSums[] {
    return this.#sums.wrong()
  }

  async *through(records: AsyncIterable<StoreRecord>): AsyncGenerator<StoreRecord, void, undefined> {
    for await (const record of records) {
      this.counts[record[0]] = (this.counts[record[0]] ?? 0) + 1
      this.#sums.add(record)
      yield record
    }
  }
}

/** Requests that ran are settled by the copy as it is opened, so that it may have more rows. */
function expectWhole(copied: Tally, read: Tally, target: StoreSettings): void {
  const lacking = (['account', 'key', 'org', 'audit', 'row', 'total'] as const).filter(
    kind => (read.counts[kind] ?? 0) < (copied.counts[kind] ?? 0),
  )
  const isWorse = read.wrong.length > copied.wrong.length
  if (lacking.length === 0 && !isWorse) return
  const what = lacking.length > 0 ? `lacks ${lacking.join(', ')} records` : 'has sums that differ from its rows'
  throw new CommandFailed(`✗ ${storeText(target)} ${what}: do not use it, and report this`)
}
