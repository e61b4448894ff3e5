import type { Command } from 'commander'
import { configOption, ofGateway } from '../kit/options.ts'
import { asksFirst } from '../kit/terminal.ts'

export interface MigrateOptions {
  readonly config: string
  readonly live?: boolean
  readonly replace?: boolean
  readonly yes?: boolean
}

export interface CheckOptions {
  readonly config: string
  readonly json?: boolean
}

/** Registers `svcctl store` with its commands. */
export function registerStore(program: Command): void {
  const store = program.command('store').description('work on a store itself')
  asksFirst(store.command('migrate'))
    .description('copy all that a store has into another one, of either kind: while all gateways are stopped, or live')
    .argument(
      '<from>',
      'embedded:PATH, redis://…, a YAML file whose store is meant, or `embedded:` for that of --config; not with --live',
    )
    .argument('[to]', 'the same of a store that is empty')
    .option('--live', 'have the gateway that runs go over to the store that is named, while it serves')
    .option('--replace', 'also where that store has data, which is gone then')
    .addOption(configOption())
    .addHelpText(
      'after',
      `
The store that is copied stays as it is. With --live requests wait for 2 s at the most, and no gateway
starts on the store that was left any more. A password that a command names can be seen by other users
of the machine: name a YAML file, which takes it from the environment or from a file.`,
    )
    .action(async (from: string, to: string | undefined, options: MigrateOptions) => {
      if (options.live) return (await import('./migrate-live.ts')).migrateLive([from, to], options)
      return (await import('./migrate-run.ts')).migrate(from, to, options)
    })
  ofGateway(store.command('check'))
    .description(
      'read every page and record of an embedded store, while its gateway is stopped, and print what is whole',
    )
    .argument('[store]', 'embedded:PATH, or a YAML file whose store is meant; that of --config without it', 'embedded:')
    .addHelpText(
      'after',
      `
Exit code: 0 whole, 6 damaged. \`serve\` checks the same at its start, for up to 5 s.`,
    )
    .action(async (named: string, options: CheckOptions) => (await import('./check-run.ts')).check(named, options))
}
