import type { Command } from 'commander'
import { configOption } from '../options.ts'

export interface ModelsOptions {
  readonly config: string
  readonly json?: boolean
}

/** Registers `svcctl models`. Exit codes: 0 fine, 1 the configuration has Problems. */
export function registerModels(program: Command): void {
  program
    .command('models')
    .description('list the models of the configuration: who answers, what they cost, which plans include them')
    .option('--json', 'print JSON')
    .addOption(configOption())
    // Only now: the configuration costs more to load than a --help may take.
    .action(async (options: ModelsOptions) => (await import('./models-run.ts')).models(options))
}
