import type { ShownEvent } from '../http/event-records.ts'
import { follow } from './control/follow.ts'
import { openDoor } from './control/open.ts'
import { jsonLine } from './one-line.ts'
import { isError, requestLine } from './request-line.ts'
import type { TailOptions } from './requests.ts'
import { writeLive } from './stdout.ts'
import { untilStopped } from './until-stopped.ts'

/** Writes a line for each request as it ends. */
export async function tailRequests({ config, account, errors, json }: TailOptions): Promise<void> {
  const door = await openDoor(config)
  await untilStopped(async ({ signal }) => {
    const events = await follow(door, { signal, ...(account !== undefined && { account }) })
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
  if (event.event === 'request') return `${requestLine(event)}\n`
  if (event.event === 'dropped')
    console.error(
      `▲ ${event.count} ${event.count === 1 ? 'request is' : 'requests are'} missing here: they came faster than they were read`,
    )
  return ''
}
