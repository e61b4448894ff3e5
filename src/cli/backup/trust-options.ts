import type { Command } from 'commander'

/** Which backups a command reads. */
export interface TrustOptions {
  /** A file with the key that must have signed it, in place of that of the gateway. */
  readonly key?: string
  /** Also one that is not signed by that key. */
  readonly unsigned?: boolean
}

/** Adds the options of a command that reads a backup. */
export const trusting = (command: Command): Command =>
  command
    .option('--key <file>', 'the key that signed it; default: `backup-key` in the state_dir of the configuration')
    .option('--unsigned', 'accept a missing or foreign signature: make sure that you know where the file comes from')
