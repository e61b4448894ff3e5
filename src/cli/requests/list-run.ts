import type { OperatorApi } from '../../operator/api.ts'
import { labelsText } from '../../policy/label-values.ts'
import { timeOfDay, withoutFraction } from '../../server/log/terminal-text.ts'
import type { PastRequest, PastRequests } from '../../wire/admin/past-request.ts'
import { NO_VALUE } from '../../wire/admin/usage-report.ts'
import type { PastRequestsQuery } from '../../wire/admin-api/requests.ts'
import { forPrograms } from '../kit/formats.ts'
import { periodOf, withOperator } from '../kit/options.ts'
import { type Column, tableText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import type { ListOptions } from './requests.ts'

/** Writes past requests, newest first. */
export async function listRequests(options: ListOptions): Promise<void> {
  await withOperator(options, async operator => {
    const found = await pagesOf(operator, queryOf(options), options.limit)
    const { format, json } = options
    const written = forPrograms({ ...(format && { format }), ...(json && { json }) }, found)
    if (written !== undefined) return writeOut([written])
    if (found.data.length > 0) await writeOut([`${requestsTable(inReadingOrder(found.data))}\n`])
    else console.error('No such requests.')
    for (const note of notesOf(found, options)) console.error(note)
  })
}

function queryOf(options: ListOptions): PastRequestsQuery {
  const { account, key, model, pool, label, slow, errors, kind } = options
  return {
    ...periodOf(options),
    ...(account !== undefined && { account }),
    ...(key !== undefined && { key }),
    ...(model !== undefined && { model }),
    ...(pool !== undefined && { pool }),
    ...(label !== undefined && { label }),
    ...(slow !== undefined && { slow }),
    ...(errors && { errors: 'true' }),
    ...(kind !== undefined && { kind }),
  }
}

/** Reads page after page: one may be empty if the gateway had to search many requests. */
async function pagesOf(operator: OperatorApi, query: PastRequestsQuery, most: number): Promise<PastRequests> {
  const data: PastRequest[] = []
  let page: PastRequests
  let before: string | undefined
  do {
    const limit = Math.min(PAGE, most - data.length)
    page = await operator.pastRequests({ ...query, limit, ...(before !== undefined && { before }) })
    data.push(...page.data)
    before = page.next ?? undefined
  } while (before !== undefined && data.length < most)
  return { ...page, data }
}

/** The most of one page. */
const PAGE = 1000

function notesOf(
  { next, refusals_since, not_read, unreached = [] }: PastRequests,
  { limit, errors }: ListOptions,
): readonly string[] {
  const more = [
    ...(next === null ? [] : [`▲ there are more than these ${limit}: give --limit or --until`]),
    ...(not_read === undefined
      ? []
      : [`▲ missing: rows archived to ${not_read}, because an endpoint cannot be read back`]),
    ...unreached.map(({ gateway, problem }) => `▲ missing: requests that ${gateway} refused: ${problem}`),
  ]
  if (!errors) return more
  if (refusals_since === null) return [...more, '▲ missing: refused requests, because no gateway runs']
  return [...more, `▲ what was refused is known since ${withoutFraction(refusals_since)}, of gateways that run`]
}

/** In a terminal the newest stand last, beside the prompt; above it they are scrolled away. */
export const inReadingOrder = (newestFirst: readonly PastRequest[]): readonly PastRequest[] =>
  process.stdout.isTTY ? newestFirst.toReversed() : newestFirst

/** Requests as people read them. */
export function requestsTable(requests: readonly PastRequest[]): string {
  const named = NAMED.filter(({ shownIn }) => requests.some(request => shownIn(request) !== undefined))
  return tableText(
    [...COLUMNS.slice(0, -1), ...named.map(({ column }) => column), ...COLUMNS.slice(-1)],
    requests.map(request => [
      request.at.slice(0, 10),
      timeOfDay(Date.parse(request.at)),
      request.request_id,
      request.label ?? request.account ?? '-',
      modelText(request),
      request.pool ?? '-',
      request.status === null ? request.outcome : String(request.status),
      String(request.ms),
      tokensOf(request),
      request.usd ?? '-',
      ...named.map(({ shownIn }) => shownIn(request) ?? NO_VALUE),
      reasonOf(request),
    ]),
  )
}

/** Columns of names that many requests lack: there where one of them has it. */
const NAMED: readonly { readonly column: Column; readonly shownIn: (request: PastRequest) => string | undefined }[] = [
  {
    column: { title: 'LABELS', least: 8, gives: 9 },
    shownIn: ({ labels }) => (labels ? labelsText(labels) : undefined),
  },
  { column: { title: 'SESSION', least: 8, gives: 10 }, shownIn: ({ session }) => session ?? undefined },
]

/** A request that names no model asks for the default one; of other paths the path says what was asked. */
const modelText = ({ model, asked, path }: PastRequest): string =>
  model ?? asked ?? (path !== null && ASKS_A_MODEL.test(path) ? '(default)' : (path ?? '-'))

const ASKS_A_MODEL = /\/(chat\/completions|responses|messages|embeddings|images\/generations)$/

const tokensOf = ({ input_tokens, output_tokens, estimated }: PastRequest): string =>
  input_tokens === null ? '-' : `${estimated ? '~' : ''}${input_tokens}+${output_tokens}`

/** The reason of a refusal, how the answer broke off, or which attempts failed before it. */
const reasonOf = ({ limit, type, code, interrupted, failures }: PastRequest): string =>
  limit ?? type ?? code ?? interrupted ?? failures.map(({ pool, cause }) => `${pool} ✗ ${cause}`).join(', ')

/** The column that is least worth its room goes first. */
const COLUMNS: readonly Column[] = [
  { title: 'DAY', gives: 2 },
  { title: 'TIME', gives: 8 },
  // With this, `requests show` and `explain --request` say more.
  { title: 'REQUEST', gives: 6 },
  { title: 'ACCOUNT', least: 8 },
  { title: 'MODEL', least: 8, gives: 7 },
  { title: 'POOL', least: 8, gives: 1 },
  { title: 'STATUS' },
  { title: 'MS', number: true, gives: 4 },
  { title: 'TOKENS', number: true, gives: 3 },
  { title: 'USD', number: true, gives: 5 },
  { title: 'WHY', least: 8 },
]
