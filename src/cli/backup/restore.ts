import { type Command, Option } from 'commander'
import { configOption } from '../kit/options.ts'
import { asksFirst } from '../kit/terminal.ts'
import { type TrustOptions, trusting } from './trust-options.ts'

export interface RestoreOptions extends TrustOptions {
  readonly config: string
  readonly replace?: boolean
  readonly files?: string
  readonly yes?: boolean
}

/** Registers `svcctl restore`. */
export function registerRestore(program: Command): void {
  trusting(asksFirst(program.command('restore')))
    .description('fill the store of a configuration from a backup, where no gateway runs')
    .argument('<file>', 'the backup, which is read and verified first')
    .option('--replace', 'also where the store has data, which is gone then')
    .addOption(
      new Option(
        '--files <dir>',
        'write the YAML files that served into a new directory, and leave the store as it is',
      ).conflicts('replace'),
    )
    .addOption(configOption())
    .action(async (file: string, options: RestoreOptions) => (await import('./restore-run.ts')).restore(file, options))
}
