import { type Command, Option } from 'commander'
import type { OperatorApi } from '../operator/operator-api.ts'

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
export async function withOperator(
  options: { readonly config: string },
  run: (operator: OperatorApi) => Promise<void>,
): Promise<void> {
  // Only now: the configuration and the store cost more to load than a --help may take.
  const { connectOperator } = await import('../operator/connect.ts')
  const operator = await connectOperator(options.config)
  try {
    await run(operator)
  } finally {
    await operator.close()
  }
}
