import { checkStore, damageText, diskErrorOf, type StoreCheck } from '../../adapters/embedded/check/store.ts'
import { lockDirectory } from '../../adapters/embedded/store-directory.ts'
import type { StoreSettings } from '../../config/settings.ts'
import { loadForStore } from '../../operator/load-files.ts'
import { CommandFailed, exitCodes, storeDamaged, storeFailure } from '../../server/failure.ts'
import { jsonLine } from '../../wire/printable.ts'
import { tableText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import { storeNamed } from './migrate-run.ts'
import type { CheckOptions } from './store.ts'

/** Reads every page and record of an embedded store that no process has open, and prints what is whole. */
export async function check(named: string, { config, json }: CheckOptions): Promise<void> {
  const store = storeNamed(named, loadForStore(config).settings)
  if (store.kind !== 'embedded') throw new CommandFailed('✗ only an embedded store has files to check', exitCodes.usage)
  const found = await checked(store)
  if (!found) throw new CommandFailed(`✗ there is no store in ${store.path}`)
  const damage = damageText(found)
  if ('tables' in found) await writeOut([json ? jsonLine(jsonOf(found, damage)) : textOf(found)])
  if (damage) throw storeDamaged(store.path, damage, diskErrorOf(found))
  if (!json) await writeOut([`✓ the store in ${store.path} is whole\n`])
}

async function checked(store: Extract<StoreSettings, { kind: 'embedded' }>) {
  const lock = await lockDirectory(store.path).catch(error => {
    throw storeFailure(error, store) ?? error
  })
  try {
    return await checkStore(store.path)
  } finally {
    await lock.release()
  }
}

function textOf({ tables, unreadable = {} }: StoreCheck): string {
  const columns = [
    { title: 'table' },
    { title: 'rows', number: true },
    { title: 'pages', number: true },
    { title: 'damaged pages' },
    { title: 'unreadable rows', number: true },
  ] as const
  const rows = tables.map(({ name, rows, pages, damaged }) => [
    name,
    String(rows),
    String(pages),
    damaged.length > 0 ? damaged.join(' ') : '–',
    String(unreadable[name] ?? 0),
  ])
  return `${tableText(columns, rows)}\n`
}

const jsonOf = ({ tables, unreadable = {}, faults, pages, diskError }: StoreCheck, damage: string | undefined) => ({
  whole: damage === undefined,
  ...(diskError !== undefined && { disk_error: diskError }),
  pages,
  faults,
  tables: tables.map(({ name, rows, pages, damaged }) => ({
    ...{ table: name, rows, pages, damaged_pages: damaged },
    unreadable_rows: unreadable[name] ?? 0,
  })),
})
