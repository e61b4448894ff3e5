import { type Command, Option } from 'commander'
import { asOption, type CountOptions, countsRequests, moveOption, type PlanMoves } from '../kit/options.ts'
import { asksFirst } from '../kit/terminal.ts'

/** Options of `svcctl apply`. */
export interface ApplyOptions extends CountOptions {
  readonly config: string
  readonly as?: string
  readonly yes?: boolean
  readonly movePlan?: PlanMoves
  readonly skipTests?: boolean
  readonly json?: boolean
  /** All gateways of the fleet, or none. */
  readonly all?: boolean
}

/**
 * `svcctl apply`: has the running gateway serve these files. Exit codes: 0 they serve, 1 they do not, 2 wrong usage, 3
 * no gateway runs, 4 the operator is not signed in.
 */
export function registerApply(program: Command): void {
  const command = asksFirst(program.command('apply'))
    .summary('have the running gateway serve these files')
    .description(
      'Checks the files, runs the tests beside them, tells what changes and whom it touches as svcctl plan does, asks, and has the running gateway write the files in the place of its own and serve them, whole or not at all, with no restart. Running requests end by the files they began with. What served before is kept: svcctl rollback goes back to it. Files that are served already are a no-op.',
    )
    .addOption(
      new Option('-c, --config <file>', 'the main configuration file').default('config.yaml').env('SVCCTL_CONFIG'),
    )
    .option('--all', 'have all gateways of the fleet serve them, or none')
    .addOption(moveOption())
    .addOption(asOption())
    .option('--skip-tests', 'do not run the tests: for emergencies')
  countsRequests(command)
    .option('--json', 'print what was done as one JSON object')
    .action(async (options: ApplyOptions) => {
      // Its modules are compiled on import, which other commands need not wait for.
      const { apply } = await import('./apply-run.ts')
      await apply(options)
    })
}
