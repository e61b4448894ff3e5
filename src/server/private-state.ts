import { lstat, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { closeToOthers } from '../adapters/embedded/store-directory.ts'
import type { Loaded } from '../config/settings.ts'
import type { Alarm } from '../gateway/ports.ts'

/** What a gateway itself writes into its state directory. */
const FILES = ['admin.token', 'guest-secret', 'store-epoch', 'data.mdb', 'lock.mdb']
/** Directories in which everything is written by the gateway. */
const DIRECTORIES = ['revisions', 'spool', 'decisions']

/**
 * Takes from other users of the machine what an earlier version, a copy or a restored backup left open to them. Tells
 * of what belongs to another user and stays open; never rejects, for a gateway serves all the same.
 */
export async function closeState({ settings, files }: Pick<Loaded, 'settings' | 'files'>, alarm: Alarm): Promise<void> {
  const { server, store, decisions } = settings
  const state = server.stateDir
  const own = DIRECTORIES.map(name => join(state, name))
  const shared = new Set(files.map(file => dirname(resolve(file))))
  const paths = [
    ...[state, ...(store.kind === 'embedded' ? [store.path] : [])].filter(each => !shared.has(each)),
    ...FILES.map(name => join(state, name)),
    ...own,
    ...(await Promise.all([...own, decisions.directory].map(filesIn))).flat(),
  ]
  const open: string[] = []
  for (const path of new Set(paths)) {
    if (!(await closed(path))) open.push(path)
  }
  if (open.length > 0)
    alarm('other users of this machine may read what the gateway keeps, and it may not change that', {
      paths: open.slice(0, 10),
    })
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isFile()).map(({ name }) => join(directory, name))
}

/** False where others may still read it. What is not there is closed. */
async function closed(path: string): Promise<boolean> {
  if (!(await lstat(path).catch(() => undefined))) return true
  return closeToOthers(path).then(
    () => true,
    () => false,
  )
}
