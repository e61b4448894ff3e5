import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ClientEvents, isEvent } from '../../../src/wire/session/client-events.ts'
import { times } from '../../support/times.ts'

const scope = {
  isOwnModel: (name: string) => name === 'own',
  backendModel: 'backend-model',
  providerTools: [],
  passes: [],
  fetches: false,
  namesAsks: true,
}
const text = fc.constantFrom(
  'own',
  'backend-model',
  'other',
  'auto',
  'web_search',
  'function',
  'item_reference',
  '',
  'x'.repeat(300),
)
const name = fc.constantFrom(
  ...['type', 'event_id', 'session', 'response', 'model', 'tools', 'input', 'prompt', 'conversation', 'store'],
  ...[
    'previous_response_id',
    'file_id',
    'id',
    'content',
    'item',
    'service_tier',
    'background',
    '__proto__',
    'toString',
  ],
)
const { value } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, 0, -1, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map(members => ({ members })),
  ),
}))

/** JSON in which names may stand twice, some with escapes. */
function jsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOf)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const { members } = value as { members: [string, unknown][] }
  const nameOf = (name: string, at: number) =>
    at % 3 === 2 ? `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"` : `"${name}"`
  return `{${members.map(([name, each], at) => `${nameOf(name, at)}:${jsonOf(each)}`)}}`
}

const event = fc
  .tuple(
    fc.constantFrom('response.create', 'session.update', 'other'),
    fc.array(fc.tuple(name, value), { maxLength: 8 }),
  )
  .map(([type, members]) => jsonOf({ members: [['type', type], ...members] }))

/** The names of the model, as a reader finds them that takes the first of a name that stands twice, or the last. */
function modelsIn(json: string): unknown[] {
  const event = JSON.parse(json)
  return [event, event.session, event.response].flatMap(part => part?.model ?? [])
}

/** The types of tools, also of those that stand in others, without a list, or in a list too many. */
function typesOf(tools: unknown): unknown[] {
  if (Array.isArray(tools)) return tools.flatMap(typesOf)
  if (typeof tools !== 'object' || tools === null) return []
  const { type, tools: inner } = tools as { type?: unknown; tools?: unknown }
  return [type, ...typesOf(inner)]
}

it.each([
  ['{"type":"web_search"}', 'without a list'],
  ['[[{"type":"web_search"}]]', 'in a list of lists'],
  ['[{"type":"namespace","tools":{"type":"web_search"}}]', 'in a namespace, without a list'],
])('a tool of the provider is refused as %s, %s', tools => {
  const bytes = Buffer.from(`{"type":"response.create","tools":${tools}}`)
  const problem = 'web_search cannot be used here'
  expect(new ClientEvents(scope).read(bytes)).toMatchObject({ denial: { field: 'tools', problem } })
})

it('whatever a client says, the backend gets no other model, no tool that it may not run, and reads no name twice', () => {
  fc.assert(
    fc.property(event, fc.boolean(), (json, isText) => {
      const bytes = Buffer.from(json)
      expect(isEvent(bytes, isText)).toBe(true)
      const read = new ClientEvents(scope).read(bytes)
      if ('denial' in read) return
      const passed = read.bytes.toString()
      for (const model of modelsIn(passed)) expect(model).toBe('backend-model')
      for (const part of [JSON.parse(passed), JSON.parse(passed).session, JSON.parse(passed).response])
        expect(typesOf(part?.tools)).not.toContain('web_search')
      // Every name occurs once, whether the event was rewritten or passed on.
      expect(JSON.stringify(JSON.parse(passed)).length).toBe(passed.replace(/\\u00[0-9a-f]{2}/g, 'x').length)
    }),
    { numRuns: times(2000) },
  )
})

it('bytes of any kind are read without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isText) => {
      const message = Buffer.from(bytes)
      if (isEvent(message, isText)) new ClientEvents(scope).read(message)
    }),
    { numRuns: times(2000) },
  )
})

const image = (url: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: url }] },
})

it.each([
  [{ type: 'session.update', session: { type: 'realtime', priority: 1 } }, 'session.priority'],
  [{ type: 'response.create', response: { kv_transfer_params: {} } }, 'response.kv_transfer_params'],
  [{ type: 'conversation.item.create', item: { type: 'message', uuid: 'x' } }, 'item.uuid'],
  [{ type: 'response.create', input: 'Hi', priority: 1 }, 'priority'],
  [image('https://example.com/a.png'), 'item.content[0].image_url'],
  [image('file:///etc/passwd'), 'item.content[0].image_url'],
])('a session refuses what its backend is not to get unweighed: %j', (event, field) => {
  expect(new ClientEvents(scope).read(Buffer.from(JSON.stringify(event)))).toMatchObject({ denial: { field } })
})

it('a session passes on what its pool passes and fetches, and events of other protocols', () => {
  const open = new ClientEvents({ ...scope, passes: ['session.priority'], fetches: true })
  for (const event of [
    { type: 'session.update', session: { type: 'realtime', priority: 1 } },
    image('https://example.com/a.png'),
    { type: 'settings', listen: { any: 1 } },
  ]) {
    const bytes = Buffer.from(JSON.stringify(event))
    expect(open.read(bytes)).toMatchObject({ bytes })
  }
  expect(open.read(Buffer.from(JSON.stringify(image('file:///etc/passwd'))))).toHaveProperty('denial')
})
