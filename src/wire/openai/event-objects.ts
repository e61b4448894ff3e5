import { parse } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'

/** Reads what `sseEvent` and `namedEvent` wrote: the object of each event that has one, of whole events. */
export function* eventObjects(events: string): Generator<JsonObject> {
  for (const event of events.split('\n\n')) {
    const at = event.startsWith(NAME) ? event.indexOf('\n') + 1 : 0
    if (!event.startsWith(DATA, at)) continue
    const data = parse(event.slice(at + DATA.length).replaceAll(`\n${DATA}`, '\n'))
    if (isObject(data)) yield data
  }
}

const NAME = 'event: '
const DATA = 'data: '
