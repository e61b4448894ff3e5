import type { JsonObject } from '../../../src/wire/json-safety.ts'
import type { SentEvent } from './support.ts'

/**
 * Plays the events of a stream as a client would, and throws where one does not follow from those before: what is not open
 * cannot grow, what is done is what grew, and the last response holds what was done.
 */
export function replay(events: readonly SentEvent[]): JsonObject {
  const items: Item[] = []
  let response: JsonObject | undefined
  const ids = new Set<unknown>()
  for (const [i, event] of events.entries()) {
    same(event.sequence_number, i, 'sequence_number')
    same(response?.status ?? 'in_progress', 'in_progress', 'nothing follows the last event')
    if (i < 2) same(event.type, ['response.created', 'response.in_progress'][i], 'type')
    if (isObject(event.response)) {
      same(i < 2 || i === events.length - 1, true, 'a response stands at the beginning or the end')
      response = event.response
    } else play(event, items, ids)
  }
  const output = response?.output
  const done = items.flatMap(item => (item.done ? [item.done] : []))
  if (response?.status !== 'failed') same(done.length, items.length, 'all items are done')
  same(output, done, 'output')
  same(new Set(callIds(done)).size, callIds(done).length, 'ids of calls')
  return response ?? {}
}

interface Item {
  readonly added: JsonObject
  /** Texts of each part, or the one text of a call. */
  readonly texts: string[]
  /** Types of the parts. */
  readonly partTypes: unknown[]
  isPartOpen: boolean
  textDone?: unknown
  done?: JsonObject
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function same(actual: unknown, expected: unknown, what: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}

const callIds = (items: readonly JsonObject[]): unknown[] => items.flatMap(({ call_id }) => call_id ?? [])

function play(event: SentEvent, items: Item[], ids: Set<unknown>): void {
  const [, what = '', how = ''] = /^response\.(.*)\.(added|delta|done)$/.exec(event.type) ?? []
  if (what === 'output_item' && how === 'added') {
    add(event, items, ids)
    return
  }
  const item = items[Number(event.output_index)]
  if (!item || item.done) throw new Error(`${event.type} of an item that is not open`)
  if (what === 'output_item') {
    same(item.isPartOpen, false, 'no part is open')
    item.done = written(item, event.item as JsonObject)
    return
  }
  same(event.item_id, item.added.id, 'item_id')
  if (what === 'content_part' || what === 'reasoning_summary_part') playPart(event, how, item)
  else playText(event, what, how, item)
}

function add({ output_index, item }: SentEvent, items: Item[], ids: Set<unknown>): void {
  same(output_index, items.length, 'output_index')
  const added = item as JsonObject
  same(added.status, 'in_progress', 'status')
  if (typeof added.id !== 'string' || added.id === '' || ids.has(added.id)) throw new Error('an id is no new one')
  ids.add(added.id)
  const isCall = added.type !== 'message' && added.type !== 'reasoning'
  items.push({ added, texts: isCall ? [''] : [], partTypes: [], isPartOpen: false })
}

function playPart({ content_index, summary_index, part }: SentEvent, how: string, item: Item): void {
  const { type, text, refusal } = part as JsonObject
  if (how === 'added') {
    same(item.isPartOpen, false, 'one part at a time')
    same(content_index ?? summary_index, item.texts.length, 'index of a part')
    same(text ?? refusal, '', 'a part begins empty')
    item.texts.push('')
    item.partTypes.push(type)
    item.isPartOpen = true
    return
  }
  same([content_index ?? summary_index, type], [item.texts.length - 1, item.partTypes.at(-1)], 'the part')
  same([text ?? refusal, item.textDone], [item.texts.at(-1), item.texts.at(-1)], 'text of the part')
  item.isPartOpen = false
}

/** The texts that grow, by the item that they belong to. */
const TEXTS: Readonly<Record<string, string>> = {
  output_text: 'message',
  refusal: 'message',
  reasoning_text: 'reasoning',
  reasoning_summary_text: 'reasoning',
  function_call_arguments: 'function_call',
  custom_tool_call_input: 'custom_tool_call',
}

function playText(event: SentEvent, what: string, how: string, item: Item): void {
  same(item.added.type, TEXTS[what], `the item of ${event.type}`)
  const last = item.texts.length - 1
  if (item.added.call_id === undefined)
    same([item.isPartOpen, event.content_index ?? event.summary_index], [true, last], event.type)
  if (how === 'delta') {
    same(typeof event.delta === 'string' && event.delta !== '', true, 'a delta says something')
    item.texts[last] += String(event.delta)
    return
  }
  item.textDone = event.text ?? event.refusal ?? event.arguments ?? event.input
  same(item.textDone, item.texts[last], event.type)
}

/** An item that is done has the texts that grew. */
function written(item: Item, done: JsonObject): JsonObject {
  const { added, texts } = item
  same([done.id, done.type, done.call_id, done.name], [added.id, added.type, added.call_id, added.name], 'the item')
  const { content = [], summary = [], arguments: args, input } = done
  const parts = [...(content as JsonObject[]), ...(summary as JsonObject[])]
  same(
    args ?? input ?? parts.map(({ type, text, refusal }) => [type, text ?? refusal]),
    args === undefined && input === undefined ? texts.map((text, i) => [item.partTypes[i], text]) : texts[0],
    'what was said',
  )
  return done
}
