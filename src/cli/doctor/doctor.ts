import { type Command, InvalidArgumentError } from 'commander'
import { configOption } from '../kit/options.ts'

export interface DoctorOptions {
  readonly config: string
  readonly json?: boolean
  /** The pools to ask; without it all. */
  readonly pool?: readonly string[]
  /** Whether backends are asked for what may cost money. */
  readonly generate: boolean
  readonly images?: boolean
  /** In seconds. */
  readonly timeout: number
}

/** Registers `svcctl doctor`. Exit codes: 0 fine, warnings included, 1 there is a problem, 2 wrong usage. */
export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check this machine, the configuration, the store, identity, and every backend and tool')
    .description(
      'Checks everything that a gateway with this configuration needs, and tests on every replica what the policy promises: its model, streams, usage, dimensions and tool calls. It changes nothing: it initialises no store and calls no tool. Each backend generates a few tokens, which may cost money; --no-generate only requests their lists of models.',
    )
    .option('--pool <name>', 'check only the replicas of this pool; may be given more than once', more)
    .option('--no-generate', 'send backends nothing that costs money: only request their lists of models')
    .option('--images', 'let each image backend generate one image, which costs money')
    .option('--timeout <seconds>', 'how long each answer may take', seconds, 10)
    .option('--json', 'print JSON')
    .addOption(configOption())
    // Only now: the configuration costs more to load than a --help may take.
    .action(async (options: DoctorOptions) => (await import('./run.ts')).doctor(options))
}

const more = (name: string, before: readonly string[] = []): readonly string[] => [...before, name]

function seconds(text: string): number {
  const number = Number(text)
  if (!(number >= 0.1 && number <= 300)) throw new InvalidArgumentError('Write seconds, from 0.1 to 300.')
  return number
}
