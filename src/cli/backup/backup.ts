import type { Command } from 'commander'
import { configOption, refuseEarlyOptions } from '../kit/options.ts'
import { type TrustOptions, trusting } from './trust-options.ts'

export interface BackupOptions {
  readonly config: string
  readonly json?: boolean
}

export interface VerifyOptions extends TrustOptions, BackupOptions {}

/** Registers `svcctl backup`, which has an action of its own. */
export function registerBackup(program: Command): void {
  const backup = refuseEarlyOptions(program.command('backup'))
    .description('back up the whole store into a file, from a running gateway, or from a store that no gateway uses')
    .argument('<file>', 'a new file')
    .option('--json', 'print JSON')
    .addOption(configOption())
    .action(async (file: string, options: BackupOptions) => (await import('./run.ts')).backUp(file, options))
  trusting(backup.command('verify'))
    .description('verify a backup: its signature, and every byte, row and sum')
    .argument('<file>', 'the backup')
    .option('--json', 'print JSON')
    .addOption(configOption())
    .addHelpText(
      'after',
      "\nExit codes:\n  0   the gateway's key signed it, no byte has changed, and its sums match its rows\n  1   it is not",
    )
    .action(async (file: string, options: VerifyOptions) => (await import('./run.ts')).verify(file, options))
}
