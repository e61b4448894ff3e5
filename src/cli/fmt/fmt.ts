import type { Command } from 'commander'
import { configOption } from '../kit/options.ts'

export interface FmtOptions {
  readonly config: string
  readonly check?: boolean
}

/** Registers `svcctl fmt`. Exit codes: 0 fine, 1 a file is not YAML, or with `--check` not in the style. */
export function registerFmt(program: Command): void {
  program
    .command('fmt')
    .summary('format YAML files')
    .description('Formats YAML files and names those it changed. Their meaning and comments stay the same.')
    .argument('[file...]', 'the files to format (default: the configuration and all it includes)')
    .option('--check', 'change nothing: name the files that would change, and exit 1 if there are any')
    .addOption(configOption())
    // Only now: YAML costs more to load than a --help may take.
    .action(async (files: string[], options: FmtOptions) => (await import('./run.ts')).fmt(files, options))
}
