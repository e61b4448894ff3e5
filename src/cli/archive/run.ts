import { schemaSql } from '../../adapters/archives/postgres/ledger-table.ts'
import { durationText } from '../../config/model/units.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { archiveState } from '../../operator/gateway-calls.ts'
import { loadToShow } from '../../operator/load-files.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import type { ArchiveRecord } from '../../wire/admin/archive-state.ts'
import { jsonLine } from '../../wire/printable.ts'
import type { Changing } from '../kit/options.ts'
import { table } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import type { StatusOptions } from './archive.ts'

/** Prints how far rows came. Exits with 1 where they wait for an archive that does not take them. */
export async function status(options: StatusOptions): Promise<void> {
  const state = await archiveState(await findAdminEndpoint(options.config))
  await writeOut([options.json ? jsonLine(state) : `${statusText(state)}\n`])
  if (state.last_error !== null) process.exitCode = exitCodes.bad
}

export function statusText(state: ArchiveRecord): string {
  if (state.to === null) return 'No archive: rows are deleted after ledger.keep.'
  return table([
    ['to', state.to],
    ...(state.read_back ? [] : [['read back', 'no: commands and endpoints only read rows in the store']]),
    ['archived by', state.here ? 'this gateway' : 'another gateway on the same store, or none yet'],
    ['rows so far', `${state.archived_rows} since this gateway started`],
    ['rows waiting', state.oldest_at === null ? 'none' : String(state.waiting_rows)],
    ...(state.oldest_at === null ? [] : [['oldest of them', oldestText(state.oldest_at, state.lag_seconds)]]),
    ['failures', state.failures === 0 ? 'none' : String(state.failures)],
    ...(state.last_error === null ? [] : [['last failure', state.last_error]]),
  ])
}

const oldestText = (at: string, lagSeconds: number): string =>
  `${withoutFraction(at)}, ${durationText(Math.round(lagSeconds) * 1000)} later than it might be there`

/** Prints the SQL of the table. Rejects with CommandFailed where rows go somewhere else. */
export async function schema({ config }: Pick<Changing, 'config'>): Promise<void> {
  const { brand, ledger } = loadToShow(config).settings
  if (ledger.archive?.kind !== 'postgres')
    throw new CommandFailed('✗ ledger.archive.to is not PostgreSQL, and only its table has a schema', exitCodes.bad)
  await writeOut([schemaSql(brand)])
}
