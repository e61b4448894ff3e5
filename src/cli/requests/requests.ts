import type { Command } from 'commander'
import { type Common, ofGateway } from '../options.ts'

/** What `svcctl requests tail` was asked for. */
export interface TailOptions extends Common {
  readonly account?: string
  readonly errors?: boolean
}

/** Registers `svcctl requests tail`. */
export function registerRequests(program: Command): void {
  ofGateway(program.command('requests').description('follow the requests of a running gateway').command('tail'))
    .description('write a line for each request as it ends, until Ctrl-C. Several gateways are followed one by one')
    .option('--account <account>', 'only those of one account, by its id or label, or its key')
    .option('--errors', 'only what was refused, failed or broke off')
    .action(async (options: TailOptions) => {
      // Only now: what it loads costs more than a --help may take.
      const { tailRequests } = await import('./requests-run.ts')
      await tailRequests(options)
    })
}
