import type { Command } from 'commander'
import { configOption, ofGateway } from '../kit/options.ts'
import { asksFirst } from '../kit/terminal.ts'

export interface MigrateOptions {
  readonly config: string
  readonly replace?: boolean
  readonly yes?: boolean
}

export interface CheckOptions {
  readonly config: string
  readonly json?: boolean
}

/** Registers `svcctl store` with its commands. */
export function registerStore(program: Command): void {
  const store = program.command('store').description('migrate or check a store')
  asksFirst(store.command('migrate'))
    .description('copy everything in a store into another one, of either kind, while all gateways are stopped')
    .argument(
      '<from>',
      'embedded:PATH, redis://…, a YAML file that names the store, or `embedded:` for the one in --config',
    )
    .argument('<to>', 'an empty store, written in the same way')
    .option('--replace', 'delete the data that the target store has')
    .addOption(configOption())
    .addHelpText(
      'after',
      `
The copied store stays as it is, and the copy is read back and compared. A password on the command line
can be seen by other users of the machine: name a YAML file, which takes it from the environment or a file.`,
    )
    .action(async (from: string, to: string, options: MigrateOptions) =>
      (await import('./migrate-run.ts')).migrate(from, to, options),
    )
  ofGateway(store.command('check'))
    .description(
      'read every page and record of an embedded store while its gateway is stopped, and report what is intact',
    )
    .argument(
      '[store]',
      'embedded:PATH, or a YAML file that names the store (default: the one in --config)',
      'embedded:',
    )
    .addHelpText(
      'after',
      `
Exit code: 0 whole, 6 damaged. \`serve\` checks the same at its start, for up to 5 s.`,
    )
    .action(async (named: string, options: CheckOptions) => (await import('./check-run.ts')).check(named, options))
}
