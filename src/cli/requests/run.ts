import type { LogEntry } from '../../http/log-entry.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { follow } from '../../operator/gateway-calls.ts'
import { labelsText } from '../../policy/label-values.ts'
import { NAMED_RULES, namedRule } from '../../policy/limits/named-rules.ts'
import { ruleName } from '../../policy/limits/rule.ts'
import { cachedOf, logLine, reasonOf, wordsOf } from '../../server/log/line.ts'
import { painter, timeOfDay, usesColour } from '../../server/log/terminal-text.ts'
import type { ShownDropped, ShownEvent, ShownFollowed, ShownRequest } from '../../wire/admin/event.ts'
import { usdText } from '../../wire/money.ts'
import { jsonLine, oneLine } from '../../wire/printable.ts'
import { type Column, clip, lineOf, terminalWidth, widthOf, widthsIn } from '../kit/table.ts'
import { untilStopped, writeLive } from '../kit/terminal.ts'
import type { TailOptions } from './requests.ts'

/** Writes a line for each request as it ends. */
export async function tailRequests({ config, account, gateway, errors, json }: TailOptions): Promise<void> {
  const endpoint = await findAdminEndpoint(config)
  await untilStopped(async ({ signal }) => {
    const events = await follow(endpoint, { signal, gateway, ...(account !== undefined && { account }) })
    await writeLive(lines(events, errors === true, json ? jsonLine : textOf))
  })
}

async function* lines(
  events: AsyncIterable<ShownEvent>,
  onlyErrors: boolean,
  line: (event: ShownEvent) => string,
): AsyncGenerator<string, void, undefined> {
  for await (const event of events) {
    if (event.event === 'standing' || (onlyErrors && event.event === 'request' && !isError(event))) continue
    yield line(event)
  }
}

/** For people. Gaps are reported on stderr. */
function textOf(event: ShownEvent): string {
  if (event.event === 'request') return process.stdout.isTTY ? rowOf(event) : `${requestLine(event)}\n`
  if (event.event === 'gateway') console.error(followedNote(event))
  if (event.event === 'dropped') console.error(droppedNote(event))
  return ''
}

const droppedNote = ({ count }: ShownDropped): string =>
  `▲ ${count} ${count === 1 ? 'request is' : 'requests are'} missing here: they arrived faster than they could be read`

const followedNote = ({ gateway, followed, problem }: ShownFollowed): string =>
  followed ? `✓ requests of ${gateway} arrive again` : `▲ requests of ${gateway} are missing from here on: ${problem}`

const TONES: Readonly<Record<Tone, 'red' | 'warn'>> = { failed: 'red', refused: 'warn' }

/** On a terminal: as wide as it is, with the status in colour where the request did not go well. */
function rowOf(event: ShownRequest): string {
  const { text, status } = requestRow(event, terminalWidth())
  const tone = toneOf(event)
  if (tone === undefined) return `${text}\n`
  const paint = painter(usesColour(process.stdout))
  const end = status + 3
  return `${text.slice(0, status)}${paint(TONES[tone], text.slice(status, end))}${text.slice(end)}\n`
}

/** A request in the log's form, with its account, at any length. */
function requestLine(request: ShownRequest): string {
  const { asked } = request
  const names = [labelOf(request), labelledText(request)].filter(Boolean).join('  ')
  return `${logLine(entryOf(request), { defaultModel: { name: asked ?? '' } })}${names && `  ${names}`}`
}

/**
 * A request in the columns of a terminal: its numbers below those of other requests and never cut, then whose it was,
 * what refused it, and what it was for. `status` is where that begins.
 */
export function requestRow(request: ShownRequest, width: number): { readonly text: string; readonly status: number } {
  const entry = entryOf(request)
  const { at, ms, inputTokens, outputTokens, estimated, cost, interrupted } = entry
  const time = timeOfDay(at)
  const lead = [time, String(entry.status).padStart(3), `${ms} ms`.padStart(8)].join('  ')
  const tokens = inputTokens === undefined ? '' : `${estimated ? '~' : ''}${inputTokens}+${outputTokens} tok`
  const paid = cost === undefined ? '' : `$${usdText(cost)}`
  const said = oneLine(interrupted === undefined ? reasonOf(entry) : `interrupted: ${interrupted}`)
  const { what, tools, pools } = wordsOf(entry, request.asked ?? '')
  const [account, labels] = [labelOf(request), labelledText(request)]
  const fits =
    widthOf([lead, ' '.repeat(UNPAID), account, said, what, tools, pools].filter(Boolean).join('  ')) <= width
  // Where not all fits, which limit refused it is enough, and the model that answered is more than what was asked.
  const refusal = fits || interrupted !== undefined ? said : oneLine(entry.type ?? said)
  // A refused request has no tokens and no cost: the reason has their room, and is not cut.
  const isUnpaid = tokens === '' && paid === '' && widthOf(refusal) <= UNPAID
  const numbers = isUnpaid ? refusal.padEnd(UNPAID) : `${tokens.padStart(11)}  ${paid.padStart(9)}`
  const named = fits ? what : oneLine(entry.model ?? what)
  const cells = [account, isUnpaid ? '' : refusal, cachedOf(entry), named, tools, pools, labels]
  const room = Math.max(0, width - widthOf(lead) - widthOf(numbers) - 2 * GAP)
  const text = lineOf(WORDS, cells, widthsIn(WORDS, cells.map(widthOf), room))
  const cut = clip(text, Math.min(widthOf(text), room)).trimEnd()
  return { text: `${lead}  ${numbers}  ${cut}`.trimEnd(), status: time.length + GAP }
}

const GAP = 2
/** The room of tokens and cost, with what is between them. */
const UNPAID = 11 + GAP + 9

/** The column that gives way first has the lowest number. Account, reason and pool are seen longest. */
const WORDS: readonly Column[] = [
  { title: 'account', least: 7 },
  { title: 'reason', least: 12 },
  { title: 'cached', gives: 1 },
  { title: 'what', least: 12, gives: 3 },
  { title: 'tools', gives: 2 },
  { title: 'pools', least: 12 },
  { title: 'labels', gives: 0 },
]

/** `project=web team=core` */
const labelledText = ({ labels = {} }: ShownRequest): string => oneLine(labelsText(labels))

const labelOf = ({ standing, account }: ShownRequest): string => oneLine(standing?.label ?? account ?? '')

function entryOf(request: ShownRequest): LogEntry {
  const { at, request_id, input_tokens, output_tokens, cached_tokens, cost_nano_usd, ...rest } = request
  const { account: _account, asked, type, limit, ...same } = rest
  const refused = limit === undefined || HAVE_TYPES.has(limit) ? type : limit
  return {
    ...same,
    at: Date.parse(at),
    requestId: request_id,
    ...(refused !== undefined && { type: refused }),
    ...(asked !== undefined && { asked }),
    ...(input_tokens !== undefined && { inputTokens: input_tokens }),
    ...(output_tokens !== undefined && { outputTokens: output_tokens }),
    ...(cached_tokens !== undefined && { cachedTokens: cached_tokens }),
    ...(cost_nano_usd !== undefined && { cost: cost_nano_usd }),
  }
}

/** The limits whose type says which they are. */
const HAVE_TYPES: ReadonlySet<string> = new Set(NAMED_RULES.map(({ name }) => ruleName(namedRule(name, 1))))

/** Whether it was refused, failed or broke off. */
const isError = ({ status, interrupted }: ShownRequest): boolean => status >= 400 || interrupted !== undefined

/** `failed` where the gateway or a backend did, `refused` where the request was; none of them where it went well. */
export type Tone = 'failed' | 'refused'

/** The tone of a request; undefined where it went well. */
export function toneOf({ status, interrupted }: ShownRequest): Tone | undefined {
  if (status >= 500 || interrupted !== undefined) return 'failed'
  return status >= 400 ? 'refused' : undefined
}
