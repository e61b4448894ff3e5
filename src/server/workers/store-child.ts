import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { StoreSettings } from '../../config/settings.ts'
import type { Alarm } from '../../gateway/ports.ts'
import { CommandFailed, exitCodes, storeFailure } from '../failure.ts'

/** The process that has the embedded store, as the one that started it sees it. */
export interface StoreChild {
  readonly pid: number
  /** Resolves with its exit code: nothing is known of what runs from then on. */
  readonly ended: Promise<number | null>
  /** Has it write what waits, and end. Resolves with whether all was written. */
  close(): Promise<boolean>
}

/** What the process is to serve, and where. */
export interface StoreTask {
  /** The directory of the store. */
  readonly path: string
  readonly socket: string
}

/** What it says. */
export type FromStoreProcess =
  | { readonly ready: true }
  /** Why the store could not be opened: what `storeFailure` explains. */
  | { readonly failed: { readonly name: string; readonly message: string } }
  | { readonly alarm: string; readonly details: Readonly<Record<string, unknown>> }

/** Starts it. Resolves once it serves; rejects with CommandFailed where its store cannot be opened. */
export async function startStoreProcess(
  settings: Extract<StoreSettings, { kind: 'embedded' }>,
  socket: string,
  alarm: Alarm,
): Promise<StoreChild> {
  const child = fork(new URL(`store-process${extension}`, import.meta.url), [])
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const task: StoreTask = { path: settings.path, socket }
  child.send(task)
  await new Promise<void>((resolve, reject) => {
    child.on('message', (said: FromStoreProcess) => {
      if ('ready' in said) resolve()
      else if ('alarm' in said) alarm(said.alarm, said.details)
      else
        reject(
          storeFailure(Object.assign(new Error(said.failed.message), said.failed), settings) ??
            new Error(said.failed.message),
        )
    })
    void ended.then(code => reject(new CommandFailed(`✗ the process of the store ended with ${code}`)))
  })
  return {
    pid: pidOf(child),
    ended,
    close: async () => {
      if (child.connected) child.send('close')
      return (await ended) !== exitCodes.unwritten
    },
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the process of the store has no id')
  return pid
}

/** As this file is: the sources, or what is built of them. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
