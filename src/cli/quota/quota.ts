import type { Command } from 'commander'
import { COLUMN_RULES } from '../../policy/limits/named-rules.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import type { ShownStanding } from '../../wire/admin/event.ts'
import { jsonLine } from '../../wire/printable.ts'
import { registerGrant } from '../accounts/accounts.ts'
import { forPrograms } from '../kit/formats.ts'
import { limitsTable } from '../kit/limits-table.ts'
import {
  type Common,
  configOption,
  gatewayOption,
  type Limited,
  type Listing,
  limitOption,
  listing,
  type OfFleet,
  tellLeftOut,
  withOperator,
} from '../kit/options.ts'
import { type Column, tableText, terminalWidth, widthOf } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import { usdCell } from '../kit/usd.ts'
import { fullestCell, hasRules, limitCells, quotaCell, shareOf } from './tail/cells.ts'

/** Registers `svcctl quota show|tail|grant`. */
export function registerQuota(program: Command): void {
  const quota = program.command('quota').description('show how much of their limits accounts have used, once or live')

  listing(quota.command('show'), 'ndjson')
    .description('show what is used, reserved and allowed in the window, and the requests and tokens of the minute')
    .argument('[account]', 'its id or label, or its key; without it, all accounts that have had a key')
    .addOption(limitOption('those closest to their limits'))
    .action((named: string | undefined, options: Listing & Limited) =>
      withOperator(options, operator => show(operator.standings(named), options, named !== undefined)),
    )

  quota
    .command('tail')
    .description(
      "follow the accounts of a running gateway live: / filters, s sorts, p pauses, ⏎ shows an account's requests, " +
        'r revokes its key, q quits. Piped it writes JSON lines: first the accounts as they are, then each request as it ' +
        'ends. With several gateways on one Redis it follows the requests of all of them',
    )
    .option('--json', 'write JSON lines, also on a terminal')
    .addOption(gatewayOption('follow the requests of one gateway'))
    .addOption(configOption())
    .action(tail)

  registerGrant(quota)
}

/** JSON alone is a line for each account, as `ndjson`: there may be very many. */
async function show(
  standings: AsyncIterable<ShownStanding>,
  { json, format, limit }: Listing & Limited,
  isNamed: boolean,
): Promise<void> {
  const isLines = format === 'ndjson' || (json && format === undefined)
  if (isLines && limit === undefined) return writeOut(jsonLines(standings))
  const all: ShownStanding[] = []
  for await (const standing of standings) all.push(standing)
  const rows = limit === undefined ? all : [...all].sort((a, b) => shareOf(b) - shareOf(a)).slice(0, limit)
  tellLeftOut(all.length, limit)
  if (isLines) return writeOut(rows.map(jsonLine))
  const written = forPrograms({ ...(json && { json }), ...(format && { format }) }, { object: 'list', data: rows })
  if (written !== undefined) return writeOut([written])
  const limits = isNamed ? rows.filter(hasRules).map(({ limits }) => `\n${limitsTable(limits)}\n`) : []
  await writeOut([`${quotaTable(rows)}\n`, ...limits])
}

async function* jsonLines(standings: AsyncIterable<ShownStanding>): AsyncGenerator<string, void, undefined> {
  for await (const standing of standings) yield jsonLine(standing)
}

async function tail({ config, json, gateway }: Common & OfFleet): Promise<void> {
  // Loaded late: they cost more than a --help may take.
  const [{ findAdminEndpoint }, { tailQuota }] = await Promise.all([
    import('../../operator/connect.ts'),
    import('./tail/run.ts'),
  ])
  const isLive = process.stdout.isTTY && process.stdin.isTTY && !process.env.CI
  await tailQuota(await findAdminEndpoint(config), { gateway, live: isLive && !json })
}

/** The accounts' usage as people read it: the most used first. */
export function quotaTable(standings: readonly ShownStanding[]): string {
  const rows = [...standings].sort((a, b) => shareOf(b) - shareOf(a))
  const withBar = tableOf(rows, BAR)
  // The bar says again what the numbers say, so it goes before any of them.
  return withBar.split('\n').every(line => widthOf(line) <= terminalWidth()) ? withBar : tableOf(rows, 0)
}

const BAR = 10

/** The fullest limit has a column where any account has limits that have none of their own. */
const tableOf = (standings: readonly ShownStanding[], bar: number): string => {
  const withFullest = standings.some(hasRules)
  return tableText(
    COLUMNS.filter(({ title }) => withFullest || title !== FULLEST),
    standings.map(standing => [
      standing.label,
      standing.account,
      standing.plan,
      quotaCell(standing, bar),
      usdCell(standing.held_usd),
      ...limitCells(standing),
      ...(withFullest ? [fullestCell(standing)] : []),
      withoutFraction(standing.reset),
    ]),
  )
}

const FULLEST = 'FULLEST'

const COLUMNS: readonly Column[] = [
  { title: 'ACCOUNT', least: 20 },
  // Left out rather than have labels cut: they are what people know an account by.
  { title: 'ID', gives: 1 },
  { title: 'PLAN', least: 12, gives: 4 },
  { title: 'QUOTA' },
  { title: 'RESERVED', gives: 3 },
  ...COLUMN_RULES.map(({ column }) => ({ title: column })),
  { title: FULLEST, least: 12, gives: 5 },
  { title: 'RESETS', gives: 2 },
]
