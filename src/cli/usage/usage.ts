import { type Command, Option } from 'commander'
import type { OperatorApi } from '../../operator/operator-api.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { GROUPS, type Group } from '../../wire/admin/usage-report.ts'
import { jsonLine } from '../../wire/printable.ts'
import { configOption, refuseEarlyOptions, sinceOption, withOperator } from '../options.ts'
import { writeJson, writeOut } from '../terminal.ts'
import { FORMATS, type Format, rowsIn, usageCsv, usageTable, wasteCsv, wasteTable } from './usage-text.ts'

interface UsageOptions {
  readonly config: string
  readonly since: string
  readonly by: Group
  readonly key?: string
  readonly failedAttempts?: boolean
  readonly format?: Format
  readonly csv?: boolean
  readonly json?: boolean
}

interface ExportOptions {
  readonly config: string
  readonly since: string
  readonly account?: string
  readonly format: Format
}

/** Registers `svcctl usage` and `svcctl usage export`. */
export function registerUsage(program: Command): void {
  const usage = refuseEarlyOptions(program.command('usage'))
    .description('show requests, tokens and US dollars by day, plan, model, account or key')
    // Or --since behind `export` would be taken for that of `usage`.
    .enablePositionalOptions()
    .addOption(sinceOption('the first UTC day'))
    .addOption(new Option('--by <group>', 'what to add up by').choices(GROUPS).default('day'))
    .option('--key <key>', 'only what came with this key: its id, or its full or masked value')
    .addOption(
      new Option('--failed-attempts', 'only what failed attempts cost you, by pool').conflicts('by').conflicts('key'),
    )
    // What it was called before.
    .addOption(new Option('--waste').implies({ failedAttempts: true }).conflicts('by').conflicts('key').hideHelp())
    .addOption(
      new Option('--format <format>', 'a table (default), one JSON object, CSV, or a JSON object a line').choices(
        FORMATS,
      ),
    )
    .addOption(new Option('--csv', 'the same as --format csv').conflicts('json'))
    .option('--json', 'the same as --format json')
    .addOption(configOption())
    .action((options: UsageOptions) => {
      const format = formatOf(options)
      return withOperator(options, operator => show(operator, options, format))
    })

  usage
    .command('export')
    .description(
      'write the rows of the ledger to stdout: one for each request, and for each failed attempt that cost you something',
    )
    .addOption(sinceOption('requests admitted since'))
    .option('--account <account>', 'only those of one account, by its id or label')
    .addOption(
      new Option('--format <format>', 'a table, one JSON object, CSV, or a JSON object a line')
        .choices(FORMATS)
        .default('ndjson'),
    )
    .addOption(configOption())
    .action((options: ExportOptions) =>
      withOperator(options, operator => {
        const { since, account, format } = options
        const rows = operator.ledger({ since, ...(account !== undefined && { account }) })
        return writeOut(rowsIn[format](rows))
      }),
    )
}

/** What --csv and --json are short for, or what --format says: not two that differ. */
function formatOf({ format, csv, json }: UsageOptions): Format {
  const short = csv ? 'csv' : json ? 'json' : undefined
  if (format !== undefined && short !== undefined && format !== short)
    throw new CommandFailed(`✗ --${short} goes without --format ${format}`, exitCodes.usage)
  return format ?? short ?? 'text'
}

async function show(operator: OperatorApi, options: UsageOptions, format: Format): Promise<void> {
  const { since, by, key, failedAttempts } = options
  const report = await operator.usage({ since, by, ...(key !== undefined && { key }) })
  if (format === 'json') return writeJson(report)
  if (format === 'ndjson') return writeOut((failedAttempts ? report.waste : report.data).map(jsonLine))
  const csv = format === 'csv'
  if (failedAttempts) return writeOut([csv ? wasteCsv(report) : wasteTable(report)])
  const wasted = report.waste.length === 0 ? [] : ['\n', wasteTable(report)]
  return writeOut(csv ? [usageCsv(report)] : [usageTable(report), ...wasted])
}
