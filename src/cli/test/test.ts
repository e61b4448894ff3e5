import { type Command, Option } from 'commander'

/** How `svcctl test` is asked to run. */
export interface TestOptions {
  readonly config: string
  readonly test?: string
  readonly coverage?: boolean
  readonly watch?: boolean
  readonly json?: boolean
}

/** `svcctl test`: cases, matrices and invariants through the real policy. Exit codes: 0 all passed, 1 not, 2 wrong usage. */
export function registerTest(program: Command): void {
  program
    .command('test [files...]')
    .summary('test the policy against its cases and invariants')
    .description(
      'Runs test files (default: policies/tests/*.test.yaml beside the configuration) through the same functions with which the gateway decides. It uses no server, network, clock or store.',
    )
    .addOption(
      new Option('-c, --config <file>', 'the main configuration file').default('config.yaml').env('SVCCTL_CONFIG'),
    )
    .option('-t, --test <name>', 'only tests whose name contains this')
    .option('--coverage', 'also list routes, plans and models that no test exercises')
    .option('--watch', 'run again whenever a file changes, until Ctrl-C')
    .option('--json', 'print the results as JSON')
    .action(async (files: readonly string[], options: TestOptions) => {
      // Its modules are compiled on import, which other commands need not wait for.
      const { runTests } = await import('./run.ts')
      await runTests(files, options)
    })
}
