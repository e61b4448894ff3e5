import { rm } from 'node:fs/promises'
import { openEmbeddedStore } from '../../adapters/embedded/embedded-store.ts'
import { StoreServer } from '../../adapters/remote/store-server.ts'
import type { Alarm } from '../../gateway/ports.ts'
import { exitCodes } from '../failure.ts'
import { version } from '../version.ts'
import type { FromStoreProcess, StoreTask } from './store-child.ts'

/**
 * The process that has the embedded store and serves it to workers. It does nothing else, so that neither a reload nor a
 * large body can hold it up. It ends with the process that started it, and leaves what that would have left.
 */
process.once('message', (task: StoreTask) => void serve(task))

async function serve({ path, socket }: StoreTask): Promise<void> {
  const alarm: Alarm = (message, details = {}) => say({ alarm: message, details })
  try {
    const store = await openEmbeddedStore({ path, now: Date.now })
    // What a process left there that was killed: the directory is locked, so that no process listens.
    await rm(socket, { force: true })
    const server = new StoreServer({ store, abandon: ids => store.abandon(ids), version, alarm })
    await server.listen(socket)
    const close = async () => {
      await server.close()
      await store.close()
    }
    let closing: Promise<void> | undefined
    const end = (code: number) => {
      closing ??= close()
      closing.then(
        () => process.exit(code),
        () => process.exit(exitCodes.unwritten),
      )
    }
    // Signals go to all processes of a terminal: this one ends last, when it is told to, or when the other one is gone.
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => {})
    process.on('message', () => end(0))
    process.on('disconnect', () => end(0))
    say({ ready: true })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    process.send?.({ failed: { name, message } } satisfies FromStoreProcess, () => process.exit(exitCodes.bad))
  }
}

function say(message: FromStoreProcess): void {
  if (process.connected) process.send?.(message)
}
