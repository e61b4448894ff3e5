import type { Command } from 'commander'

export interface InitOptions {
  readonly brand: string
  readonly backend: string
  readonly model: string
  readonly repo?: boolean
}

/** Registers `svcctl init`. Exit codes: 0 fine, 1 a file of that name is there, 2 wrong usage. */
export function registerInit(program: Command): void {
  program
    .command('init')
    .summary('write a small configuration to start from')
    .description(
      'Writes a small configuration to start from: config.yaml, policies/ with a test, schemas for editors, and a workflow for GitHub that checks them. Overwrites nothing and asks nothing.',
    )
    .argument('[directory]', 'made if it is not there', '.')
    .option(
      '--repo',
      'as a repository: also a workflow for GitHub and one for GitLab that check each change and write what it means into its pull request, and a README',
    )
    .option('--brand <name>', 'keys begin with it, and models are called by it', 'svc')
    .option(
      '--backend <url>',
      'where an OpenAI-wire backend answers, with the path up to /v1',
      'http://127.0.0.1:8000/v1',
    )
    .option('--model <name>', 'the name that the backend knows its model by', 'Qwen/Qwen3-8B')
    .action(async (directory: string, options: InitOptions) => (await import('./init-run.ts')).init(directory, options))
}
