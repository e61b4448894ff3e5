import type { Command } from 'commander'

export interface ImportOptions {
  readonly out?: string
  readonly keys?: string
  readonly names?: readonly string[]
}

/** Registers `svcctl import`. Exit codes: 0 fine, 1 nothing could be imported or the file is there, 2 wrong usage. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .description('write a configuration from that of another gateway')
    .command('litellm')
    .description(
      'Writes a configuration from the config.yaml of a LiteLLM proxy: models with their backends, fallbacks, aliases, timeouts, prices and budgets. What has no place here stands as a comment where it would be, with the reason, and in a summary on stderr. Keys of backends become variables of the environment, never texts.',
    )
    .argument('<file>', 'the config.yaml of LiteLLM')
    .option('--out <file>', 'write to this file, which must not be there, in place of stdout')
    .option('--keys <file>', "the answer of LiteLLM's /key/list?return_full_object=true, whose limits become plans")
    .option(
      '--names <names>',
      'what clients write for models that the file names by `*`, with commas between: each becomes a model',
      (text: string) => text.split(',').filter(Boolean),
    )
    .action(async (file: string, options: ImportOptions) =>
      (await import('./import-run.ts')).importLitellm(file, options),
    )
}
