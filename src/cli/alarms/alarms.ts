import type { Command } from 'commander'
import { gatewayOption, type Limited, type Listing, limitOption, listing, type OfFleet } from '../kit/options.ts'

export interface AlarmsOptions extends Listing, Limited, OfFleet {
  readonly open?: boolean
  readonly follow?: boolean
}

/** Registers `svcctl alarms`. It needs a running gateway: exit code 3 without one. */
export function registerAlarms(program: Command): void {
  listing(program.command('alarms'))
    .description(
      'list the incidents of running gateways, open ones first: since when, how often, the failures meanwhile, and what to do',
    )
    .option('--open', 'only those that are open')
    .option('--follow', 'print incidents as they open and end, until Ctrl-C')
    .addOption(limitOption('open ones first, then the newest'))
    .addOption(gatewayOption('of one gateway'))
    .action(async (options: AlarmsOptions) => (await import('./run.ts')).alarms(options))
}
