import { type Command, Option } from 'commander'
import { asOption, type CountOptions, countsRequests, moveOption, type PlanMoves } from '../kit/options.ts'
import { asksFirst } from '../kit/terminal.ts'

/** How `svcctl rollback` is asked. */
export interface RollbackOptions extends CountOptions {
  readonly config: string
  readonly as?: string
  readonly yes?: boolean
  readonly list?: boolean
  readonly movePlan?: PlanMoves
  readonly json?: boolean
  /** All gateways of the fleet, or none. */
  readonly all?: boolean
}

/**
 * `svcctl rollback`: has the running gateway serve files that it served before. Exit codes: 0 they serve, or are
 * listed; 1 they do not, or are not kept; 2 wrong usage, 3 no gateway runs, 4 the operator is not signed in.
 */
export function registerRollback(program: Command): void {
  const command = asksFirst(program.command('rollback'))
    .summary('have the running gateway serve what it served before')
    .description(
      'Tells what a kept revision changes and whom it touches as svcctl plan does, asks, and has the running gateway write its files in the place of those that serve, and serve them with no restart. Without an argument that is the revision that served before the present one. The tests are not run: they are those of other files. The gateway keeps the newest 50 revisions that served.',
    )
    .argument('[revision]', 'its number, or its name or the beginning of that; --list shows them')
    .addOption(
      new Option('-c, --config <file>', 'the configuration of the gateway').default('config.yaml').env('SVCCTL_CONFIG'),
    )
    .option('--list', 'list the revisions that are kept, newest first, and do nothing')
    .option('--all', 'have all gateways of the fleet serve it, or none')
    .addOption(moveOption())
    .addOption(asOption())
  countsRequests(command)
    .option('--json', 'print what was done, or the list, as JSON')
    .action(async (revision: string | undefined, options: RollbackOptions) => {
      // Its modules are compiled on import, which other commands need not wait for.
      const { rollback } = await import('./rollback-run.ts')
      await rollback(revision, options)
    })
}
