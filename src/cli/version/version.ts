import type { Command } from 'commander'
import { type Common, ofGateway } from '../kit/options.ts'

/** The options of `svcctl version`. */
export interface VersionOptions extends Common {
  readonly check?: boolean
}

/** Registers `svcctl version`. With --check it needs a running gateway: exit code 3 without one, 1 where a version differs. */
export function registerVersion(program: Command): void {
  ofGateway(program.command('version'))
    .description('print the version of this program and of its Node')
    .option('--check', 'compare with the versions of running gateways; exit 1 if one differs')
    .action(async (options: VersionOptions) => (await import('./run.ts')).printVersion(options))
}
