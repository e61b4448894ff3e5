import type { Command } from 'commander'
import { type Listing, listing } from '../kit/options.ts'

/** Registers `svcctl fleet`. It needs a running gateway: exit code 3 without one. */
export function registerFleet(program: Command): void {
  listing(program.command('fleet'))
    .description(
      'list the gateways on one store, and warn if their revisions or versions differ; * marks the one that was asked, followed by its workers if it has any',
    )
    .action(async (options: Listing) => (await import('./run.ts')).fleet(options))
}
