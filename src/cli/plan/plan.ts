import { type Command, Option } from 'commander'
import { type CountOptions, countsRequests } from '../kit/options.ts'

/** How `svcctl plan` is asked. */
export interface PlanOptions extends CountOptions {
  readonly config: string
  readonly against?: string
  readonly exitCode?: boolean
  readonly format: 'text' | 'json' | 'github' | 'markdown'
}

/**
 * `svcctl plan`: what a change of the files means. Exit codes: 0 fine, 1 not valid, 2 wrong usage, 3 no gateway runs, 4
 * the operator is not signed in, 10 changes.
 */
export function registerPlan(program: Command): void {
  const command = program
    .command('plan')
    .summary('tell what a change of the files means')
    .description(
      'Compares the configuration with what the running gateway serves, or with another one, and tells each change in meaning in a sentence: what is refused from now on, what is less, what is different, what is more, and what clients do not see. Order, comments and other ways to write the same are not changes. Then it tells whom the changes affect: how many accounts are on plans that change, which the gateway knows, and how many requests of its decision log would have been decided otherwise. Last, it lists for each pool how the provider profiles of this version differ from those of the gateway: an upgrade changes these by itself, and --exit-code does not count them. Nothing is changed; with --against no server is asked.',
    )
    .addOption(
      new Option('-c, --config <file>', 'the candidate: the main configuration file')
        .default('config.yaml')
        .env('SVCCTL_CONFIG'),
    )
    .option(
      '--against <dir|file|revision>',
      'what to compare it with in place of what the gateway serves: a file, a directory with a file of that name, or a git revision of its repository',
    )
  countsRequests(command)
    .option('--exit-code', 'exit with 10 when there are changes')
    .addOption(
      new Option('--format <format>', 'how to print changes; markdown is a comment for a pull request')
        .choices(['text', 'json', 'github', 'markdown'])
        .default('text'),
    )
    .addOption(new Option('--json', 'print them as JSON').implies({ format: 'json' }))
    .action(async (options: PlanOptions) => {
      // Its modules are compiled on import, which other commands need not wait for.
      const { plan } = await import('./plan-run.ts')
      await plan(options)
    })
}
