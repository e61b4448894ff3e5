import type { Command } from 'commander'
import { configOption } from '../kit/options.ts'

export interface ShowOptions {
  readonly config: string
  readonly matrix?: boolean
  readonly json?: boolean
  readonly full?: boolean
}

/** Registers `svcctl show`. Exit codes: 0 fine, 1 the configuration has Problems, or nothing of the name. */
export function registerShow(program: Command): void {
  program
    .command('show')
    .summary('show the configuration as the gateway understands it')
    .description(
      'Shows the configuration with its included files, defaults and variables filled in, or only the parts with a given name. Secrets are masked.',
    )
    .argument('[name]', 'a plan, model, alias, pool, route or hosted tool, or a section such as limits')
    .option('--matrix', 'show who may use which model and tool, and by which entry of the plan')
    .option('--full', 'spread a large configuration: a line for each setting, and each plan with all its models')
    .option('--json', 'print JSON')
    .addOption(configOption())
    // Only now: the configuration costs more to load than a --help may take.
    .action(async (name: string | undefined, options: ShowOptions) => (await import('./run.ts')).show(options, name))
}
