import type { Command } from 'commander'
import { type Listing, listing } from '../kit/options.ts'

/** Registers `svcctl models`. Exit codes: 0 fine, 1 the configuration has Problems. */
export function registerModels(program: Command): void {
  listing(program.command('models'))
    .description('list the models of the configuration: their pools, prices, and the plans that include them')
    // Only now: the configuration costs more to load than a --help may take.
    .action(async (options: Listing) => (await import('./run.ts')).models(options))
}
