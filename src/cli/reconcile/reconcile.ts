import { type Command, InvalidArgumentError, Option } from 'commander'
import { type FormatOptions, listsIn } from '../kit/formats.ts'
import { configOption } from '../kit/options.ts'

export interface ReconcileOptions extends FormatOptions {
  readonly config: string
  readonly bill: string
  readonly pool: readonly string[]
  readonly model: ReadonlyMap<string, string>
  readonly project: readonly string[]
  /** Millionths of the bill. */
  readonly tolerance: number
}

/** Registers `svcctl reconcile`. Exit codes: 0 fine, 1 the bill or the configuration cannot be read, 10 more is unexplained than tolerated. */
export function registerReconcile(program: Command): void {
  listsIn(program.command('reconcile'))
    .summary("compare a provider's bill with the ledger")
    .description(
      "Compares a provider's export (costs of OpenAI or Anthropic, AWS cost and usage report, FOCUS) with the ledger by day, model and kind of tokens, and names the cause of each difference. Exits 10 when more is unexplained than --tolerance.",
    )
    .addOption(new Option('--bill <file>', 'the export: CSV, plain or gzip, or JSON').makeOptionMandatory())
    .addOption(
      new Option('--pool <name>', "a pool that the bill is for; may be given more than once (default: the provider's)")
        .argParser(listed)
        .default([], 'by provider'),
    )
    .addOption(
      new Option(
        '--model <billed=model>',
        'a name of the bill, and the model of a pool that it means; may be given more than once',
      )
        .argParser(mapIn)
        .default(new Map(), 'by name'),
    )
    .addOption(
      new Option(
        '--project <id>',
        "a project, workspace or account of the provider that the gateway's keys belong to; may be given more than once. All others count as traffic past the gateway",
      )
        .argParser(listed)
        .default([], 'all'),
    )
    .addOption(
      new Option('--tolerance <percent>', 'the share of the bill that may stay unexplained')
        .argParser(percentIn)
        .default(1000, '0.1%'),
    )
    .addOption(configOption())
    .action(async (options: ReconcileOptions) => (await import('./run.ts')).runReconcile(options))
}

const listed = (text: string, before: readonly string[]): readonly string[] => [...before, text]

function mapIn(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1)
    throw new InvalidArgumentError('Write BILLED=MODEL, such as Claude4.6Sonnet=claude-sonnet-4-6.')
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]])
}

function percentIn(text: string): number {
  const { percent } = /^(?<percent>\d{1,3}(?:\.\d{1,4})?)%$/.exec(text)?.groups ?? {}
  if (percent === undefined || Number(percent) > 100) throw new InvalidArgumentError('Write a share such as 0.1%.')
  return Math.round(Number(percent) * 10_000)
}
