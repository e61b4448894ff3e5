import { type Command, Option } from 'commander'
import { type FormatOptions, listsIn } from '../kit/formats.ts'
import { configOption } from '../kit/options.ts'

export interface PricesOptions extends FormatOptions {
  readonly config: string
  readonly patch?: boolean
  readonly exitCode?: boolean
}

/** Registers `svcctl prices check`. Exit codes: 0 fine, 1 the configuration has Problems, with `--exit-code` 10 where prices differ. */
export function registerPrices(program: Command): void {
  const prices = program
    .command('prices')
    .description('compare the prices of the configuration with those of providers')
  listsIn(prices.command('check'))
    .summary('list prices that differ from what the provider takes')
    .description(
      'Compares what each pool at a known provider costs, or else what its models are sold for, with a catalogue that comes with svcctl. Nothing is fetched and nothing is changed.',
    )
    .addOption(
      new Option('--patch', 'print a patch of the files in place of the list, for review and `git apply`').conflicts([
        'format',
        'json',
      ]),
    )
    .option('--exit-code', 'exit 10 when prices differ')
    .addOption(configOption())
    .action(async (options: PricesOptions) => (await import('./run.ts')).checkPrices(options))
}
