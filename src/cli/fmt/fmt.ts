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
    .summary('put YAML files in the one style')
    .description(
      'Puts YAML files in the one style and names those it changed. What they say stays, and so do comments.',
    )
    .argument('[file...]', 'the files to put in that style; without one, the configuration and all it includes')
    .option('--check', 'change nothing: name the files that would change, and exit 1 when there are some')
    .addOption(configOption())
    // Only now: YAML costs more to load than a --help may take.
    .action(async (files: string[], options: FmtOptions) => (await import('./fmt-run.ts')).fmt(files, options))
}
