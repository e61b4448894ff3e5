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
    .summary('roll the running gateway back to an earlier revision')
    .description(
      'Shows what a kept revision changes and whom it affects as svcctl plan does, asks for confirmation, and lets the running gateway replace its files with those of the revision, without a restart. Without an argument, it rolls back to the previous revision. It runs no tests, since they belong to other files. The gateway keeps its 50 most recent revisions.',
    )
    .argument('[revision]', 'its number, or its name or the start of its name; --list shows them')
    .addOption(
      new Option('-c, --config <file>', 'the configuration of the gateway').default('config.yaml').env('SVCCTL_CONFIG'),
    )
    .option('--list', 'only list the kept revisions, newest first')
    .option('--all', 'roll back all gateways of the fleet, or none')
    .addOption(moveOption())
    .addOption(asOption())
  countsRequests(command)
    .option('--json', 'print the result, or the list, as JSON')
    .action(async (revision: string | undefined, options: RollbackOptions) => {
      // Its modules are compiled on import, which other commands need not wait for.
      const { rollback } = await import('./run.ts')
      await rollback(revision, options)
    })
}
