import type { Command } from 'commander'

export interface ImportOptions {
  readonly out?: string
  readonly keys?: readonly string[]
  readonly names?: readonly string[]
}

/** Registers `svcctl import`. Exit codes: 0 fine, 1 nothing could be imported or the file is there, 2 wrong usage. */
export function registerImport(program: Command): void {
  const command = program.command('import').description('write a configuration from that of another gateway')
  const from = (gateway: 'litellm' | 'portkey' | 'bifrost', argument: string, what: string) =>
    command
      .command(gateway)
      .description(
        `${what} What has no place here stands as a comment where it would be, with the reason, and in a summary on stderr. Keys of backends become variables of the environment, never texts.`,
      )
      .argument('<file>', argument)
      .option('--out <file>', 'write to this file, which must not be there, in place of stdout')
      .action(async (file: string, options: ImportOptions) =>
        (await import('./import-run.ts')).importFrom(gateway, file, options),
      )
  const names = ['--names <names>', 'with commas between: each becomes a model'] as const
  const split = (text: string) => text.split(',').filter(Boolean)
  from(
    'litellm',
    'the config.yaml of LiteLLM',
    'Writes a configuration from the config.yaml of a LiteLLM proxy: models with their backends, fallbacks, aliases, timeouts, prices and budgets.',
  )
    .option(
      '--keys <file>',
      "the answer of LiteLLM's /key/list?return_full_object=true&size=100&page=N, whose limits become plans; given once for each page",
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option(names[0], `what clients write for models that the file names by \`*\`, ${names[1]}`, split)
  from(
    'portkey',
    "a config as JSON, or the answer of Portkey's API that has one",
    'Writes a configuration from a config of Portkey: its targets as pools in order, the models that they override, and those that its conditions name.',
  ).option(names[0], `what clients write for the models of targets that have none of their own, ${names[1]}`, split)
  from(
    'bifrost',
    'the config.json of Bifrost',
    'Writes a configuration from the config.json of Bifrost: models with the keys of their providers, and virtual keys with their budgets and rates as plans.',
  ).option(names[0], `what clients write for models of keys that serve all, such as openai/gpt-4o, ${names[1]}`, split)
}
