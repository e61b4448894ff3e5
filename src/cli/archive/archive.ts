import type { Command } from 'commander'
import { type Changing, configOption } from '../kit/options.ts'

export interface StatusOptions extends Pick<Changing, 'config'> {
  readonly json?: boolean
}

/** Registers `svcctl archive …`. Exit codes of `status`: 0 rows leave in time, 1 they wait for the archive. */
export function registerArchive(program: Command): void {
  const archive = program.command('archive').description('the archive of ledger rows')
  archive
    .command('status')
    .description('show how many rows wait for the archive, since when, and why')
    .addOption(configOption())
    .option('--json', 'as JSON')
    // Only now: what asks a gateway costs more to load than a --help may take.
    .action(async (options: StatusOptions) => (await import('./run.ts')).status(options))
  archive
    .command('schema')
    .description(
      'print the SQL of the PostgreSQL table, for the owner of the database to run; a gateway whose user may create tables creates it itself',
    )
    .addOption(configOption())
    .action(async (options: Pick<Changing, 'config'>) => (await import('./run.ts')).schema(options))
}
