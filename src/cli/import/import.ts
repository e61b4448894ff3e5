import type { Command } from 'commander'

export interface ImportOptions {
  readonly out?: string
  readonly keys?: readonly string[]
  readonly names?: readonly string[]
}

/** Registers `svcctl import`. Exit codes: 0 imported, 1 nothing to import or the output file exists, 2 wrong usage. */
export function registerImport(program: Command): void {
  const command = program.command('import').description('convert the configuration of another gateway')
  const from = (gateway: 'litellm' | 'portkey' | 'bifrost', argument: string, what: string) =>
    command
      .command(gateway)
      .description(
        `${what} Settings without an equivalent become comments at their place, with the reason, and a summary on stderr lists them. Keys of backends become environment variables, never text.`,
      )
      .argument('<file>', argument)
      .option('--out <file>', 'write to this file, which must not exist, instead of stdout')
      .action(async (file: string, options: ImportOptions) =>
        (await import('./run.ts')).importFrom(gateway, file, options),
      )
  const names = ['--names <names>', 'separated by commas: each becomes a model'] as const
  const split = (text: string) => text.split(',').filter(Boolean)
  from(
    'litellm',
    'the config.yaml of LiteLLM',
    'Converts the config.yaml of a LiteLLM proxy: models with their backends, fallbacks, aliases, timeouts, prices and budgets.',
  )
    .option(
      '--keys <file>',
      "an answer of LiteLLM's /key/list?return_full_object=true&size=100&page=N, whose limits become plans; once for each page",
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option(names[0], `the names that clients use for models that the file names by \`*\`, ${names[1]}`, split)
  from(
    'portkey',
    "a config as JSON, or an answer of Portkey's API with one",
    'Converts a Portkey config: its targets become pools in order, with the models that they override and those in its conditions.',
  ).option(
    names[0],
    `the names that clients use for the models of targets without one of their own, ${names[1]}`,
    split,
  )
  from(
    'bifrost',
    'the config.json of Bifrost',
    'Converts the config.json of Bifrost: models with the keys of their providers, and virtual keys with their budgets and rates as plans.',
  ).option(
    names[0],
    `the names that clients use for models of keys that serve all, such as openai/gpt-4o, ${names[1]}`,
    split,
  )
}
