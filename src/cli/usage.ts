import { type Command, Option } from 'commander'
import { GROUPS, type Group, type LedgerRecord } from '../wire/report.ts'
import type { Control } from './control/control.ts'
import { csvRow } from './csv.ts'
import { refuseEarlyOptions } from './early-options.ts'
import { jsonLine } from './one-line.ts'
import { sinceOption } from './since-option.ts'
import { writeJson, writeOut } from './stdout.ts'
import { usageCsv, usageTable, wasteCsv, wasteTable } from './usage-text.ts'
import { configOption, withControl } from './with-control.ts'

interface UsageOptions {
  readonly config: string
  readonly since: string
  readonly by: Group
  readonly failedAttempts?: boolean
  readonly csv?: boolean
  readonly json?: boolean
}

interface ExportOptions {
  readonly config: string
  readonly since: string
  readonly account?: string
  readonly format: 'ndjson' | 'csv'
}

/** Registers `svcctl usage` and `svcctl usage export`. */
export function registerUsage(program: Command): void {
  const usage = refuseEarlyOptions(program.command('usage'))
    .description('show requests, tokens and US dollars by day, plan, model or account')
    // Or --since behind `export` would be taken for that of `usage`.
    .enablePositionalOptions()
    .addOption(sinceOption('the first UTC day'))
    .addOption(new Option('--by <group>', 'what to add up by').choices(GROUPS).default('day'))
    .addOption(new Option('--failed-attempts', 'only what failed attempts cost you, by pool').conflicts('by'))
    // What it was called before.
    .addOption(new Option('--waste').implies({ failedAttempts: true }).conflicts('by').hideHelp())
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .addOption(configOption())
    .action((options: UsageOptions) => withControl(options, control => show(control, options)))

  usage
    .command('export')
    .description(
      'write the rows of the ledger to stdout: one for each request, and for each failed attempt that cost you something',
    )
    .addOption(sinceOption('requests admitted since'))
    .option('--account <account>', 'only those of one account, by its id or label')
    .addOption(
      new Option('--format <format>', 'one JSON object a line, or CSV').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .addOption(configOption())
    .action((options: ExportOptions) =>
      withControl(options, control => {
        const { since, account, format } = options
        const rows = control.ledger({ since, ...(account !== undefined && { account }) })
        return writeOut(format === 'csv' ? csvLines(rows) : jsonLines(rows))
      }),
    )
}

async function show(control: Control, { since, by, failedAttempts, csv, json }: UsageOptions): Promise<void> {
  const report = await control.usage({ since, by })
  if (json) return writeJson(report)
  if (failedAttempts) return writeOut([csv ? wasteCsv(report) : wasteTable(report)])
  const wasted = report.waste.length === 0 ? [] : ['\n', wasteTable(report)]
  return writeOut(csv ? [usageCsv(report)] : [usageTable(report), ...wasted])
}

async function* jsonLines(rows: AsyncIterable<LedgerRecord>): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield jsonLine(row)
}

async function* csvLines(rows: AsyncIterable<LedgerRecord>): AsyncGenerator<string, void, undefined> {
  yield csvRow(LEDGER_FIELDS)
  for await (const row of rows)
    yield csvRow(LEDGER_FIELDS.map(field => (field === 'tools' ? toolsCell(row) : row[field])))
}

/** `docs_search:2 calculator:1` */
const toolsCell = ({ tools }: LedgerRecord): string =>
  Object.entries(tools ?? {})
    .map(([name, calls]) => `${name}:${calls}`)
    .join(' ')

const LEDGER_FIELDS = [
  'request_id',
  'account',
  'plan',
  'asked',
  'model',
  'pool',
  'input_tokens',
  'output_tokens',
  'cost_nano_usd',
  'usd',
  'kind',
  'estimated',
  'admitted_at',
  'settled_at',
  'revision',
  'route',
  'cause',
  'tools',
] as const satisfies readonly (keyof LedgerRecord)[]
