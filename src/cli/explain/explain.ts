import { type Command, Option } from 'commander'

/** The options of `svcctl explain`. */
export interface ExplainOptions {
  readonly config: string
  readonly plan?: string
  readonly guest?: boolean
  readonly auth?: string
  readonly token?: string
  readonly account?: string
  readonly key?: string
  readonly address?: string
  readonly model?: string
  readonly chat?: string
  readonly chatTokens?: string
  readonly input?: string
  readonly prompt?: string
  readonly maxTokens?: string
  readonly stream?: boolean
  readonly tool: readonly string[]
  readonly body?: string
  readonly path?: string
  readonly header: readonly string[]
  readonly usage: readonly string[]
  readonly down: readonly string[]
  readonly failing: readonly string[]
  readonly now?: string
  readonly case?: string
  readonly request?: string
  readonly log?: string
  readonly json?: boolean
  readonly exitCode?: boolean
}

const collected = (value: string, before: readonly string[]): readonly string[] => [...before, value]

const ALL = ['chat', 'chatTokens', 'input', 'prompt', 'body'] as const
const others = (own: string): string[] => ALL.filter(each => each !== own)
const SPOKEN = {
  chat: others('chat'),
  chatTokens: others('chatTokens'),
  input: others('input'),
  prompt: others('prompt'),
}

const HYPOTHETICAL = [
  ...[
    'plan',
    'guest',
    'auth',
    'token',
    'account',
    'key',
    'address',
    'model',
    'chat',
    'chatTokens',
    'input',
    'prompt',
    'maxTokens',
    'stream',
    'body',
    'path',
  ],
  ...['tool', 'header', 'usage', 'down', 'failing', 'now'],
]

const USAGE_HELP =
  'earlier usage: requests, tokens (of the minute), oldest, day, month_usd, reserved_usd, concurrent, guests_usd, or a plan limit as `tokens per day of key for svc-core=1.9M`; may be repeated, or a list with commas'

/** Options that invent a sender or a state, which an account as it is now has of its own. */
const INVENTED = ['plan', 'guest', 'auth', 'token', 'usage', 'down', 'failing', 'now']

/** `svcctl explain`: what would become of a request, or became of a past one, and why. Exit codes: 0 explained, 1 refused and --exit-code given, 2 wrong usage. */
export function registerExplain(program: Command): void {
  program
    .command('explain')
    .summary('show what would happen to a request, and why')
    .description(
      'Decides a made-up request, or one from the decision log, as the gateway would. Shows the verdict of each stage, the line of the files behind it, and the changes that would let a refused request through. With --account or --key, the gateway decides with the current state of the account (from the store if no gateway runs) and sends, counts and reserves nothing. Without them, it contacts no server.',
    )
    .addOption(
      new Option('-c, --config <file>', 'the main configuration file').default('config.yaml').env('SVCCTL_CONFIG'),
    )
    .addOption(new Option('--plan <plan>', 'who sends it: an account on this plan').conflicts(['guest', 'auth']))
    .addOption(new Option('--guest', 'who sends it: a device without an account').conflicts('auth'))
    .option('--auth <bearer>', 'who sends it: this unknown bearer token, or none')
    .addOption(
      new Option(
        '--token <file>',
        'who sends it: the owner of the token in this file; its claims are read, its signature is not checked; - is stdin',
      ).conflicts(['plan', 'guest', 'auth']),
    )
    .addOption(
      new Option('--account <account>', 'who sends it: this account as it is now, by its id or label').conflicts([
        ...INVENTED,
        'key',
      ]),
    )
    .addOption(new Option('--key <id>', 'who sends it: this key as it is now, by its id').conflicts(INVENTED))
    .option('--address <address>', 'the address of the client, with a --key that is restricted to addresses')
    .option('--model <model>', 'the model or alias it asks for')
    .addOption(new Option('--chat <text>', 'a chat with this text').conflicts(SPOKEN.chat))
    .addOption(new Option('--chat-tokens <count>', 'a chat as long as this').conflicts(SPOKEN.chatTokens))
    .addOption(new Option('--input <text>', 'an embedding of this text').conflicts(SPOKEN.input))
    .addOption(new Option('--prompt <text>', 'an image with this prompt').conflicts(SPOKEN.prompt))
    .addOption(new Option('--max-tokens <count>', 'the output cap of the chat').conflicts('body'))
    .addOption(new Option('--stream', 'the chat is streamed').conflicts('body'))
    .addOption(
      new Option('--tool <name>', 'a hosted tool that the chat lists; may be repeated')
        .argParser(collected)
        .default([])
        .conflicts(['body', 'input', 'prompt']),
    )
    .addOption(new Option('--body <file>', 'the whole body, as JSON; - is stdin').conflicts('model'))
    .option('--path <path>', 'where the body is sent (default: /v1/chat/completions)')
    .option('--header <name: value>', 'a header, for routes that read it; may be repeated', collected, [])
    .option('--usage <name=value>', USAGE_HELP, collected, [])
    .option('--down <pool>', 'a pool that is ejected; may be repeated', collected, [])
    .option('--failing <pool>', 'a pool that fails when it is tried; may be repeated', collected, [])
    .option('--now <moment>', 'when it is sent, such as 2026-11-21T10:00:00Z')
    .addOption(
      new Option('--case <name>', 'the case in policies/tests with this name, instead of the options above').conflicts(
        HYPOTHETICAL,
      ),
    )
    .addOption(
      new Option(
        '--request <id>',
        'a past request in the decision log, decided again from the recorded facts',
      ).conflicts([...HYPOTHETICAL, 'case']),
    )
    .option('--log <path>', 'the decision log: a file or a directory (default: as in the configuration)')
    .option('--json', 'print it as JSON')
    .option('--exit-code', 'exit 1 when the request is refused')
    .action(run)
}

/** Imports the modules of the explanation that the options ask for, and no others. */
async function run(options: ExplainOptions): Promise<void> {
  if (options.request !== undefined) {
    const { explainPast } = await import('./past.ts')
    return explainPast(options.request, options)
  }
  if ((options.account ?? options.key ?? options.address) !== undefined) {
    const { explainAccount } = await import('./account.ts')
    return explainAccount(options)
  }
  const { explain } = await import('./run.ts')
  await explain(options)
}
