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
    .summary('apply these files to the running gateway')
    .description(
      'Checks the files, runs the tests beside them, shows the changes and whom they affect as svcctl plan does, and asks for confirmation. Then the running gateway replaces its own files with these and applies all of them or none, without a restart. Running requests finish under the configuration they started with. The previous revision is kept for svcctl rollback. Applying the current files changes nothing.',
    )
    .addOption(
      new Option('-c, --config <file>', 'the main configuration file').default('config.yaml').env('SVCCTL_CONFIG'),
    )
    .option('--all', 'apply them to all gateways of the fleet, or to none')
    .addOption(moveOption())
    .addOption(asOption())
    .option('--skip-tests', 'skip the tests, for emergencies')
  countsRequests(command)
    .option('--json', 'print the result as one JSON object')
    .action(async (options: ApplyOptions) => {
      // Its modules are compiled on import, which other commands need not wait for.
      const { apply } = await import('./run.ts')
      await apply(options)
    })
}
