import { findAdminEndpoint } from '../../operator/connect.ts'
import { follow } from '../../operator/gateway-calls.ts'
import { painter, usesColour } from '../../server/log/terminal-text.ts'
import type { ShownEvent, ShownRequest } from '../../wire/admin/event.ts'
import { jsonLine } from '../../wire/printable.ts'
import { terminalWidth } from '../table.ts'
import { untilStopped, writeLive } from '../terminal.ts'
import { isError, requestLine, requestRow, type Tone, toneOf } from './request-line.ts'
import type { TailOptions } from './requests.ts'

/** Writes a line for each request as it ends. */
export async function tailRequests({ config, account, errors, json }: TailOptions): Promise<void> {
  const endpoint = await findAdminEndpoint(config)
  await untilStopped(async ({ signal }) => {
    const events = await follow(endpoint, { signal, ...(account !== undefined && { account }) })
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

function textOf(event: ShownEvent): string {
  if (event.event === 'request') return process.stdout.isTTY ? rowOf(event) : `${requestLine(event)}\n`
  if (event.event === 'dropped')
    console.error(
      `▲ ${event.count} ${event.count === 1 ? 'request is' : 'requests are'} missing here: they came faster than they were read`,
    )
  return ''
}

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
