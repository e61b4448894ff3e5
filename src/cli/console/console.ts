import type { Command } from 'commander'
import { asOption, type Changing, configOption, nameOf } from '../kit/options.ts'

/** Registers `svcctl console`. Exit codes: 0 a link was printed, 3 no gateway runs. */
export function registerConsole(program: Command): void {
  program
    .command('console')
    .description("print a link that opens the operators' console in a browser; it works once, for one minute")
    .addOption(configOption())
    .addOption(asOption())
    .action(printLink)
}

async function printLink(options: Changing): Promise<void> {
  // Only now: the configuration costs more to load than a --help may take.
  const [{ findAdminEndpoint }, { consoleLink }] = await Promise.all([
    import('../../operator/connect.ts'),
    import('../../operator/gateway-calls.ts'),
  ])
  console.log(await consoleLink(await findAdminEndpoint(options.config, nameOf(options))))
}
