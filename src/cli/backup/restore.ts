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
    .description('restore a backup into the store of a configuration, while no gateway runs')
    .argument('<file>', 'the backup, which is verified first')
    .option('--replace', 'delete the data that the store has')
    .addOption(
      new Option(
        '--files <dir>',
        'write the YAML files in the backup into a new directory, and leave the store unchanged',
      ).conflicts('replace'),
    )
    .addOption(configOption())
    .action(async (file: string, options: RestoreOptions) => (await import('./restore-run.ts')).restore(file, options))
}
