import type { Command } from 'commander'
import type { OperatorApi } from '../../operator/api.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import type { ShownAudit } from '../../wire/admin/audit.ts'
import { forPrograms } from '../kit/formats.ts'
import {
  type Limited,
  type Listing,
  limitOption,
  listing,
  sinceOption,
  tellLeftOut,
  withOperator,
} from '../kit/options.ts'
import { type Column, tableText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'

interface AuditOptions extends Listing, Limited {
  readonly since: string
  readonly account?: string
}

/** Registers `svcctl audit`. */
export function registerAudit(program: Command): void {
  listing(program.command('audit'))
    .description('show who changed keys, plans, credit, the configuration and drained pools, with the values before')
    .addOption(sinceOption('changes since'))
    .option('--account <account>', 'only those of one account, by its id or label')
    .addOption(limitOption('the newest'))
    .action((options: AuditOptions) => withOperator(options, operator => show(operator, options)))
}

async function show(operator: OperatorApi, { since, account, limit, ...options }: AuditOptions): Promise<void> {
  const all: ShownAudit[] = []
  for await (const row of operator.audit({ since, ...(account !== undefined && { account }) })) all.push(row)
  const rows = limit === undefined ? all : all.slice(-limit)
  const written = forPrograms(options, { object: 'list', data: rows })
  if (written !== undefined) await writeOut([written])
  else if (rows.length === 0) console.error('No changes in this period.')
  else await writeOut([`${auditTable(rows)}\n`])
  tellLeftOut(all.length, limit)
}

/** Oldest first, as in the ledger: the last line is what happened last. */
export const auditTable = (rows: readonly ShownAudit[]): string =>
  tableText(
    COLUMNS,
    rows.map(({ at, by, by_label, action, account, label, before, after }) => [
      withoutFraction(at),
      by_label === '' ? by : `${by_label} (${by})`,
      action,
      label || account || '-',
      account || '-',
      before || '-',
      after || '-',
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: 'AT' },
  { title: 'BY', least: 8, gives: 3 },
  { title: 'ACTION' },
  // The label, by which people know an account; the id is left out first where there is no room.
  { title: 'ACCOUNT', least: 12 },
  { title: 'ID', gives: 1 },
  { title: 'BEFORE', least: 8, gives: 2 },
  { title: 'AFTER', least: 8 },
]
