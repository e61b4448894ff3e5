import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import type { StoreSettings } from '../../config/settings.ts'
import type { CheckedBackup } from '../../gateway/backup/check.ts'
import { readBackup } from '../../gateway/backup/read.ts'
import { refuseRunning } from '../../operator/connect.ts'
import { loadForStore } from '../../operator/load-files.ts'
import { CommandFailed, storeFailure, storeText } from '../../server/failure.ts'
import { fillStore } from '../../server/state/fill-store.ts'
import { world } from '../../server/world.ts'
import { oneLine } from '../../wire/printable.ts'
import { confirm, mayAsk, writeOut } from '../kit/terminal.ts'
import { checkedFile, failureOf, trustOf } from './checked-file.ts'
import type { RestoreOptions } from './restore.ts'
import { backupText } from './text.ts'

/** Fills a store from a backup, or writes the files that it has. */
export async function restore(file: string, options: RestoreOptions): Promise<void> {
  const { config, files, replace = false, yes } = options
  if (replace) mayAsk(yes)
  const trust = await trustOf(options)
  const checked = await checkedFile(file, trust)
  if (files !== undefined) return writeFiles(files, checked)
  const { settings } = loadForStore(config)
  const { store } = settings
  await refuseRunning(config)
  await writeOut([backupText(file, checked)])
  if (replace) await confirm(`This deletes everything in ${storeText(store)}. Restore into it?`, yes)
  const { records } = await readBackup(file, trust)
  await fillStore(settings, world, { records, replace }).catch(error => {
    throw failureOf(file, error) ?? storeFailure(error, store) ?? error
  })
  await writeOut([`${restoredText(store, checked)}\n`])
}

const restoredText = (store: StoreSettings, { header }: CheckedBackup): string => {
  const done = `✓ ${storeText(store)} now has everything in the backup`
  if (store.kind === 'embedded') return done
  const known = 'gateways that used another store here before: remove store-epoch from each state_dir'
  return header.store === 'redis' ? done : `${done}\n  ${known}`
}

async function writeFiles(directory: string, { header }: CheckedBackup): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch(error => {
    const reason = error.code === 'EEXIST' ? 'it exists: name a new directory' : error.message
    throw new CommandFailed(`✗ ${directory} cannot be made: ${reason}`)
  })
  for (const { file, text } of header.config.files) {
    const path = join(directory, normalize(join('/', file)))
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
  }
  const names = header.config.files.map(({ file }) => `  ${oneLine(file)}\n`).join('')
  await writeOut([`✓ ${directory} has the files of revision ${oneLine(header.config.revision)}:\n${names}`])
}
