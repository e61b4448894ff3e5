import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OperatorApi } from '../../operator/api.ts'
import { GROUPS, type Group, groupName, readGroups, type UsageReport } from '../../wire/admin/usage-report.ts'
import type { RowsQuery } from '../../wire/admin-api/fields.ts'
import { jsonLine } from '../../wire/printable.ts'
import { FORMATS, type Format, type FormatOptions, formatOf, listsIn } from '../kit/formats.ts'
import {
  configOption,
  monthOption,
  type PeriodOptions,
  periodOf,
  refuseEarlyOptions,
  sinceOption,
  untilOption,
  withOperator,
} from '../kit/options.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import { rowsIn, usageCsv, usageTable, wasteCsv, wasteTable } from './text.ts'

interface UsageOptions extends OwnerOptions, FormatOptions {
  readonly by: readonly Group[]
  readonly failedAttempts?: boolean
}

interface ExportOptions extends OwnerOptions {
  readonly format: Format | 'focus'
}

interface OwnerOptions extends PeriodOptions {
  readonly config: string
  readonly account?: string
  readonly key?: string
}

/** Registers `svcctl usage` and `svcctl usage export`. */
export function registerUsage(program: Command): void {
  const usage = refuseEarlyOptions(program.command('usage'))
    .description(
      'show requests, tokens and US dollars by day, hour, plan, model, account, key, session or label, or by several of them',
    )
    // Otherwise --since after `export` would be read as an option of `usage`.
    .enablePositionalOptions()
    .addOption(sinceOption('the first day'))
    .addOption(untilOption('the day after the last one'))
    .addOption(monthOption())
    .addOption(
      new Option(
        '--by <groups>',
        `what to group by: ${GROUPS.join(', ')}, a label such as project, or several separated by commas, such as account,model`,
      )
        .argParser(groupsIn)
        .default(DAYS, 'day'),
    )
    .option('--account <account>', 'only the usage of one account, by its id or label')
    .option('--key <key>', 'only usage with this key: its id, or its full or masked value')
    .addOption(new Option('--failed-attempts', 'only the cost of failed attempts, by pool').conflicts(OF_CLIENTS))
    // The option's former name.
    .addOption(new Option('--waste').implies({ failedAttempts: true }).conflicts(OF_CLIENTS).hideHelp())
  listsIn(usage)
    .addOption(new Option('--csv', 'the same as --format csv').conflicts('json'))
    .addOption(configOption())
    .action((options: UsageOptions, command: Command) => {
      const format = formatOf(options)
      // Hours do not go back for 30 days.
      const isAsked = command.getOptionValueSource('since') !== 'default'
      const asked = options.by.includes('hour') && !isAsked ? { ...options, since: LAST_HOURS } : options
      return withOperator(options, operator => show(operator, asked, format))
    })

  usage
    .command('export')
    .description(
      'write the rows of the ledger to stdout: one for each request, and one for each failed attempt that had a cost',
    )
    .addOption(sinceOption('requests admitted from'))
    .addOption(untilOption('requests admitted before'))
    .addOption(monthOption())
    .option('--account <account>', 'only those of one account, by its id or label')
    .option('--key <key>', 'only those made with this key: its id, or its full or masked value')
    .addOption(
      new Option(
        '--format <format>',
        'a table, one JSON object, CSV, one JSON object per line, or CSV with the columns of FOCUS 1.2',
      )
        .choices([...FORMATS, 'focus'])
        .default('ndjson'),
    )
    .addOption(configOption())
    .action((options: ExportOptions) =>
      withOperator(options, operator => {
        const [{ format }, rows] = [options, rowsOf(options)]
        return writeOut(format === 'focus' ? operator.focus(rows) : rowsIn[format](operator.ledger(rows)))
      }),
    )
}

/** Failed attempts have none of these, and are added up by pool. */
const OF_CLIENTS = ['by', 'account', 'key']

const DAYS: readonly Group[] = ['day']
const LAST_HOURS = '47h'

function groupsIn(text: string): readonly Group[] {
  const groups = readGroups(text)
  if (groups) return groups
  throw new InvalidArgumentError(`Allowed are ${GROUPS.join(', ')}, labels, or several of them separated by commas.`)
}

const rowsOf = (options: OwnerOptions): RowsQuery => {
  const { account, key } = options
  return { ...periodOf(options), ...(account !== undefined && { account }), ...(key !== undefined && { key }) }
}

async function show(operator: OperatorApi, options: UsageOptions, format: Format): Promise<void> {
  const { by, failedAttempts } = options
  const report = await operator.usage({ ...rowsOf(options), by: by.map(groupName) })
  tellHoursLeftOut(report)
  if (format === 'json') return writeJson(report)
  if (format === 'ndjson') return writeOut((failedAttempts ? report.waste : report.data).map(jsonLine))
  const csv = format === 'csv'
  if (failedAttempts) return writeOut([csv ? wasteCsv(report) : wasteTable(report)])
  const wasted = report.waste.length === 0 ? [] : ['\n', wasteTable(report)]
  return writeOut(csv ? [usageCsv(report)] : [usageTable(report), ...wasted])
}

function tellHoursLeftOut({ since, hours_left_out: hours = 0 }: UsageReport): void {
  if (hours === 0) return
  console.error(
    `▲ ${hours} earlier hours are left out: their rows are gone, or too many for one report. Try --until ${since}`,
  )
}
