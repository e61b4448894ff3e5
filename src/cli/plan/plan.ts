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
    .summary('show what a change to the files does')
    .description(
      "Compares the configuration with the one in use on the running gateway, or with another one, and describes each change in meaning in a sentence: what is newly refused, what becomes less, different or more, and what clients do not see. Order, comments and equivalent spellings are not changes. Then it shows whom the changes affect: how many accounts are on plans that change, and how many requests in the gateway's decision log would have been decided differently. Last, it lists how the provider profiles of this version differ from the gateway's for each pool: an upgrade changes these by itself, and --exit-code ignores them. Nothing is changed; with --against, no server is asked.",
    )
    .addOption(
      new Option('-c, --config <file>', 'the candidate: the main configuration file')
        .default('config.yaml')
        .env('SVCCTL_CONFIG'),
    )
    .option(
      '--against <dir|file|revision>',
      'compare with this instead of the running gateway: a file, a directory with a file of that name, or a git revision of its repository',
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
      const { plan } = await import('./run.ts')
      await plan(options)
    })
}
