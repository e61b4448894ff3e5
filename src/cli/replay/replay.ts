import { type Command, Option } from 'commander'

/** How `svcctl replay` is asked. */
export interface ReplayOptions {
  readonly config: string
  readonly json?: boolean
}

/**
 * `svcctl replay`: how other files would have decided past requests. Exit codes: 0 printed, 1 the files are bad, 2
 * wrong usage.
 */
export function registerReplay(program: Command): void {
  program
    .command('replay <log>')
    .summary('decide past requests again with other files, and show what would change')
    .description(
      'Decides the requests of a decision log (a file, the directory of its files, or - for stdin) again, with other files and with the counts of requests, tokens and money recorded for each. A request that these files decide differently does not change the counts of later ones. No server is asked.',
    )
    .addOption(
      new Option('-c, --config <file>', 'the main configuration file of the candidate')
        .default('config.yaml')
        .env('SVCCTL_CONFIG'),
    )
    .option('--json', 'print it as JSON')
    .action(async (log: string, options: ReplayOptions) => {
      // Its modules are compiled on import, which other commands need not wait for.
      const { replay } = await import('./run.ts')
      await replay(log, options)
    })
}
