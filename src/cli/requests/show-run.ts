import { labelsText } from '../../policy/label-values.ts'
import { painter, usesColour, withoutFraction } from '../../server/log/terminal-text.ts'
import type { RequestDetail } from '../../wire/admin/request-detail.ts'
import { dollars } from '../../wire/money.ts'
import { oneLine } from '../../wire/printable.ts'
import { stepLines, textSteps } from '../explain/text.ts'
import { type Common, missingLines, type OfFleet, withOperator } from '../kit/options.ts'
import { type Column, foldedText, table, tableText } from '../kit/table.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'

/** Writes all that is known of one request. */
export const showRequest = (requestId: string, options: Common & OfFleet): Promise<void> =>
  withOperator(options, async operator => {
    const detail = await operator.showRequest(requestId, options.gateway)
    const colour = usesColour(process.stdout)
    await (options.json ? writeJson(detail) : writeOut([detailText(requestId, detail, colour)]))
    for (const line of missingLines(detail.unreached ?? [])) console.error(line)
  })

/** As people read it: what it was and what became of it, its rows in the ledger, and how it was decided. */
export function detailText(requestId: string, detail: RequestDetail, colour: boolean): string {
  const { ledger, decision, why_none, notes = [] } = detail
  const rows = factsOf(detail).filter(([, value]) => value !== '')
  const steps = decision && textSteps(decision.stages)
  const parts = [
    `${requestId}\n${table(rows)}`,
    ledger.length > 0 ? ledgerTable(ledger) : 'The ledger has no row for it: it cost nothing.',
    steps ? stepLines(steps, painter(colour)).join('\n') : foldedText(why_none ?? ''),
    ...notes.map(note => foldedText(oneLine(note))),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function factsOf({ request, labels, ledger }: RequestDetail): readonly (readonly [string, string])[] {
  const [first] = ledger
  const account = request?.account ?? first?.account ?? ''
  const label = labels[account] ?? first?.label ?? undefined
  const [asked, model] = [request?.asked ?? first?.asked ?? '', request?.model ?? first?.model ?? '']
  const route = request?.route ?? first?.route ?? undefined
  const chosen = [asked, model].filter((name, at, all) => name !== '' && all.indexOf(name) === at).join(' → ')
  return [
    ['account', label === undefined ? account : `${label} (${account})`],
    ['key', first?.key ?? ''],
    ['plan', request?.plan ?? first?.plan ?? ''],
    ['labels', labelsText(first?.labels ?? request?.labels ?? {})],
    ['session', first?.session ?? request?.session ?? ''],
    ['sent', request ? `${request.method} ${request.path}` : ''],
    ['at', withoutFraction(request?.at ?? first?.admitted_at ?? '')],
    ['model', `${chosen}${route === undefined ? '' : ` (${route})`}`],
    ['answer', answerOf(request)],
    ['attempts', attemptsOf(request)],
    ['tokens', request?.input_tokens === undefined ? '' : `${request.input_tokens} in, ${request.output_tokens} out`],
    ['cost', request?.usd === undefined ? '' : dollars(request.usd)],
  ].map(([name = '', value = '']) => [name, oneLine(value)])
}

/** `200 in 312 ms`, `429 in 2 ms, tokens per day of key` */
function answerOf(request: RequestDetail['request']): string {
  if (!request) return ''
  const { status, ms, limit, type, code, interrupted } = request
  const why = limit ?? type ?? code
  const end = interrupted === undefined ? '' : `, interrupted: ${interrupted}`
  return `${status} in ${ms} ms${why === undefined ? '' : `, ${why}`}${end}`
}

function attemptsOf(request: RequestDetail['request']): string {
  const failed = (request?.failures ?? []).map(({ pool, cause }) => `${pool} ✗ ${cause}`)
  return [...failed, ...(request?.pool === undefined ? [] : [request.pool])].join(', then ')
}

const ledgerTable = (rows: RequestDetail['ledger']): string =>
  tableText(
    COLUMNS,
    rows.map(row => [
      row.kind,
      row.pool,
      `${row.estimated ? '~' : ''}${row.input_tokens}`,
      String(row.output_tokens),
      row.usd,
      `${Date.parse(row.settled_at) - Date.parse(row.admitted_at)} ms`,
      row.cause ?? '',
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: 'ROW' },
  { title: 'POOL', least: 8 },
  { title: 'TOKENS IN', number: true },
  { title: 'TOKENS OUT', number: true },
  { title: 'USD', number: true },
  { title: 'AFTER', number: true },
  { title: 'CAUSE', least: 8 },
]
