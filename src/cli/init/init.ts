import type { Command } from 'commander'

export interface InitOptions {
  readonly brand: string
  /** Without it, the servers of models that run on this machine are asked. */
  readonly backend?: string
  readonly model?: string
  readonly probe: boolean
  readonly repo?: boolean
  /** The package that a repository's workflows run: a tarball with its hash, or an image by its digest. */
  readonly package?: string
}

/** Registers `svcctl init`. Exit codes: 0 fine, 1 a file of that name is there, 2 wrong usage. */
export function registerInit(program: Command): void {
  program
    .command('init')
    .summary('write a small configuration to start from')
    .description(
      'Writes a small configuration to start from: config.yaml, policies/ with a test, and schemas for editors. Its pool is the vLLM, Ollama or llama.cpp that answers on its usual port of this machine within 1.5 seconds, if there is one. Overwrites nothing and asks no questions.',
    )
    .argument('[directory]', 'created if missing', '.')
    .option(
      '--repo',
      'as a repository: also a README, and workflows for GitHub and GitLab that check each change and describe it in its pull request; needs --package',
    )
    .option(
      '--package <pinned>',
      'the package that the workflows run as svcctl: FILE.tgz#sha256=HASH, which is copied into the repository, https://…/FILE.tgz#sha256=HASH, or an image by its digest, NAME@sha256:DIGEST',
    )
    .option('--brand <name>', 'the prefix of keys and model names', 'svc')
    .option(
      '--backend <url>',
      'the URL of an OpenAI-compatible backend, up to /v1 (default: the server found on this machine, else http://127.0.0.1:8000/v1)',
    )
    .option(
      '--model <name>',
      "the backend's own name for the model (default: the first chat model of the server found, else Qwen/Qwen3-8B)",
    )
    .option('--no-probe', 'do not look for a model server on this machine')
    .action(async (directory: string, options: InitOptions) => (await import('./run.ts')).init(directory, options))
}
