import { type Command, Option } from 'commander'
import type { Control } from '../operator/control.ts'

/** `--config`, of every command that speaks to a gateway or its store. */
export const configOption = (): Option =>
  new Option('-c, --config <file>', 'the configuration of the gateway').default('config.yaml').env('SVCCTL_CONFIG')

/** What `ofGateway` adds. */
export interface Common {
  readonly config: string
  readonly json?: boolean
}

/** Adds what every command about keys and accounts has. */
export const ofGateway = (command: Command): Command => command.option('--json', 'print JSON').addOption(configOption())

/** Runs a command on the gateway of a configuration, or on its store where none runs. */
export async function withControl(
  options: { readonly config: string },
  run: (control: Control) => Promise<void>,
): Promise<void> {
  // Only now: the configuration and the store cost more to load than a --help may take.
  const { openControl } = await import('../operator/open.ts')
  const control = await openControl(options.config)
  try {
    await run(control)
  } finally {
    await control.close()
  }
}
