import { parse } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import { namedEvent } from '../sse.ts'

/** An event about its response as a whole, such as `response.completed`. */
export interface FrameEvent {
  readonly type: string
  readonly response: JsonObject
}

/** Whole events of a stream, with the responses changed that some of them hold. All other events stay as they are. */
export const reframed = (events: string, change: (frame: FrameEvent) => JsonObject): string =>
  events
    .split(END)
    .map(event => {
      const frame = frameIn(event)
      if (!frame) return event
      const { type, data } = frame
      const response = change({ type, response: data.response })
      return namedEvent(type, JSON.stringify({ ...data, response })).slice(0, -END.length)
    })
    .join(END)

/** The response of the event that ends a stream, where one of these does. */
export function finalResponse(events: string): JsonObject | undefined {
  for (const event of events.split(END)) {
    const frame = frameIn(event)
    if (frame && LAST.has(frame.type)) return frame.data.response
  }
  return undefined
}

const END = '\n\n'
const NAME = 'event: '
const DATA = 'data: '
const LAST: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])
const FRAMES: ReadonlySet<string> = new Set([
  ...LAST,
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.failed',
])

function frameIn(
  event: string,
): { readonly type: string; readonly data: JsonObject & { response: JsonObject } } | undefined {
  if (!event.startsWith(NAME)) return undefined
  const [name = '', ...lines] = event.split('\n')
  const type = name.slice(NAME.length)
  if (!FRAMES.has(type)) return undefined
  const data = parse(lines.map(line => (line.startsWith(DATA) ? line.slice(DATA.length) : '')).join('\n'))
  return isObject(data) && isObject(data.response) ? { type, data: { ...data, response: data.response } } : undefined
}
