import fc from 'fast-check'

/** A call of a tool, as the model meant it. */
export interface MeantCall {
  readonly name: string
  readonly arguments: string
}

/** The meaning of a backend's stream, however it is written. */
export interface Meant {
  readonly text: string
  readonly thought: string
  readonly calls: readonly MeantCall[]
  readonly pictures: number
  /** `failed` where it gave up by a finish reason, `cut` where its stream ends before that. */
  readonly end: 'stop' | 'length' | 'content_filter' | 'failed' | 'cut'
}

/** A stream of a backend with members that are missing, null, empty, odd or out of order. */
export interface OddStream {
  readonly meant: Meant
  /** As the backend sends it. */
  readonly events: string
}

const ABSENT = Symbol('absent')
type Member = readonly [name: string, value: unknown]

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)

const id = oneOf<unknown>('chatcmpl-1', 'chatcmpl-1', null, '', ABSENT, 7)
const created = oneOf<unknown>(1_700_000_000, 1_700_000_000, null, ABSENT, '1700000000', 1_700_000_000.5, 'soon')
const object = oneOf<unknown>('chat.completion.chunk', 'chat.completion.chunk', null, ABSENT, 'chunk', '')
const model = oneOf<unknown>('test-model', 'another-model', null, ABSENT, '')
const index = oneOf<unknown>(0, 0, null, ABSENT, '0', 1)
const logprobs = oneOf<unknown>(ABSENT, ABSENT, null, [], 'none', { content: [] }, { content: 'none' })
const noUsage = oneOf<unknown>(ABSENT, ABSENT, null, {}, [], { prompt_tokens: null })
const silence = oneOf(
  'data: {"type":"ping"}\n\n',
  'data: {"warning":"the model is busy"}\n\n',
  'data: null\n\n',
  'data: \n\n',
  'data: {}\n\n',
  ': keep-alive\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n',
  'data: {"choices":null}\n\n',
  'data: {"choices":[null]}\n\n',
)
const role = oneOf<unknown>('assistant', ABSENT, null, '', 'model')
const ENDS: Readonly<Record<Meant['end'], readonly unknown[]>> = {
  stop: ['stop', 'stop', 'STOP', 'end_turn', 'eos_token', 'FINISH_REASON_STOP', 'endTurn', 'normal', { type: 'stop' }],
  length: ['length', 'LENGTH', 'MAX_TOKENS', 'maxTokens', 'model_length', 'a reason of next year', { type: 'length' }],
  content_filter: ['content_filter', 'SAFETY', 'sensitive', 'content-filter', 'ERROR_TOXIC'],
  failed: ['error', 'ERROR', 'abort', 'network_error', 'insufficient_system_resource', 'MALFORMED_RESPONSE'],
  cut: [],
}
/** Finish reasons of an answer that continues. */
const open = oneOf<unknown>(null, null, ABSENT, '', 'null', 'none', 'not_finished', 'FINISH_REASON_UNSPECIFIED')
const end = oneOf<Meant['end']>('stop', 'stop', 'stop', 'length', 'content_filter', 'failed', 'cut')
const reported = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
const picture = `data:image/png;base64,${'iVBORw0KGgo='.repeat(8000)}`

/** The text of one delta besides its call. */
const words = oneOf('Hello', ' world', '\n', 'ñ', '😀', '"quoted"', '{"a":1}')
const said = fc.oneof(
  { weight: 6, arbitrary: words.map(text => ({ kind: 'text' as const, text })) },
  { weight: 2, arbitrary: words.map(text => ({ kind: 'thought' as const, text })) },
  { weight: 1, arbitrary: words.map(text => ({ kind: 'parts' as const, text })) },
  { weight: 1, arbitrary: words.map(text => ({ kind: 'thinking parts' as const, text })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'picture' as const, text: '' }) },
)
type Said = typeof said extends fc.Arbitrary<infer T> ? T : never

const call = fc.record({
  name: oneOf('get_weather', 'run'),
  arguments: oneOf('{}', '', '{"city":"Berlin"}', '{"a":{"b":[1,2]}}'),
  pieces: fc.integer({ min: 1, max: 3 }),
})
/** How a backend numbers and names its calls. */
const numbering = fc.record({
  index: oneOf('right', 'none', 'null', 'from 1', 'all alike'),
  id: oneOf('right', 'repeated', 'none', 'empty'),
  name: oneOf('once', 'repeated'),
  type: fc.boolean(),
  isObject: fc.boolean(),
})
type Numbering = typeof numbering extends fc.Arbitrary<infer T> ? T : never

const frame = fc.record({ id, created, object, model, index, logprobs, open, usage: noUsage, isReversed: fc.boolean() })
type Frame = typeof frame extends fc.Arbitrary<infer T> ? T : never

/** Backend streams of all these kinds, and what each of them means. */
export const oddStream: fc.Arbitrary<OddStream> = fc
  .record({
    end,
    said: fc.array(said, { maxLength: 5 }),
    calls: fc.array(call, { maxLength: 2 }),
    numbering,
    roles: fc.array(role, { minLength: 1, maxLength: 3 }),
    frames: fc.array(frame, { minLength: 1, maxLength: 3 }),
    silences: fc.array(silence, { maxLength: 4 }),
    finish: fc.nat(8),
    repeats: oneOf(false, false, true),
    usage: oneOf('apart', 'apart without choices', 'with the finish', 'none'),
    hasDone: fc.boolean(),
  })
  .filter(({ said: all, calls }) => all.length + calls.length > 0)
  .map(drawn => {
    const deltas = [...drawn.said.map(deltaOf), ...drawn.calls.flatMap((each, at) => callParts(each, at, drawn))]
    const events = deltas.map((delta, at) =>
      eventOf({ role: at === 0 ? drawn.roles[0] : drawn.roles[at % drawn.roles.length], ...delta }, null, at, drawn),
    )
    for (const [at, each] of drawn.silences.entries()) events.splice((at * 2) % (events.length + 1), 0, each)
    return { meant: meantBy(drawn), events: [...events, ...lastEvents(drawn)].join('') }
  })

interface Drawn {
  readonly end: Meant['end']
  readonly said: readonly Said[]
  readonly calls: readonly (MeantCall & { readonly pieces: number })[]
  readonly numbering: Numbering
  readonly frames: readonly Frame[]
  readonly finish: number
  /** Whether the last chunk has the whole message once more. */
  readonly repeats: boolean
  readonly usage: string
  readonly hasDone: boolean
}

function meantBy({ end: ends, said: all, calls }: Drawn): Meant {
  const textOf = (...kinds: readonly Said['kind'][]) =>
    all.map(({ kind, text }) => (kinds.includes(kind) ? text : '')).join('')
  return {
    text: textOf('text', 'parts'),
    thought: textOf('thought', 'thinking parts'),
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    pictures: all.filter(({ kind }) => kind === 'picture').length,
    end: ends,
  }
}

function deltaOf({ kind, text }: Said): object {
  switch (kind) {
    case 'text':
      return { content: text }
    case 'thought':
      return { content: null, reasoning_content: text }
    case 'parts':
      return { content: [{ type: 'text', text }] }
    case 'thinking parts':
      return { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }
    case 'picture':
      return { content: '', images: [{ type: 'image_url', image_url: { url: picture } }] }
  }
}

/** The deltas of one call. Whole calls alone may go without a number: nothing could tell their parts apart. */
function callParts({ name, arguments: args, pieces }: Drawn['calls'][number], at: number, { numbering: how }: Drawn) {
  const isWhole = pieces === 1 || how.index === 'none' || how.index === 'null' || how.index === 'all alike'
  const size = Math.ceil(args.length / pieces)
  const texts = isWhole ? [args] : [args.slice(0, size), args.slice(size)]
  return texts.map((text, part) => {
    const isFirst = part === 0
    const called = {
      ...((isFirst || how.name === 'repeated') && { name }),
      arguments: isWhole && how.isObject && text !== '' ? JSON.parse(text) : text,
    }
    return {
      tool_calls: [
        {
          ...numberOf(how, at),
          ...idOf(how, at, isFirst),
          ...(how.type && isFirst && { type: 'function' }),
          function: called,
        },
      ],
    }
  })
}

function numberOf({ index: how }: Numbering, at: number): object {
  if (how === 'none') return {}
  if (how === 'null') return { index: null }
  return { index: how === 'from 1' ? at + 1 : how === 'all alike' ? 0 : at }
}

function idOf({ id: how, index: numbered }: Numbering, at: number, isFirst: boolean): object {
  // Two calls with one number and no id look like one call to any reader.
  if (numbered === 'all alike' || (isFirst && how === 'right')) return { id: `call_${at}` }
  if (how === 'repeated') return { id: `call_${at}` }
  return how === 'empty' ? { id: '' } : {}
}

function lastEvents(drawn: Drawn): readonly string[] {
  const { end: ends, finish, usage, hasDone, frames } = drawn
  if (ends === 'cut') return []
  const reasons = ENDS[ends]
  const withFinish = usage === 'with the finish'
  const reason = reasons[finish % reasons.length]
  const events = drawn.repeats
    ? [wholeEvent(drawn, reason, withFinish)]
    : [eventOf(finish % 2 ? {} : null, reason, frames.length, drawn, withFinish)]
  if (usage === 'apart') events.push(`data: ${JSON.stringify({ id: 'chatcmpl-1', choices: [], usage: reported })}\n\n`)
  if (usage === 'apart without choices') events.push(`data: ${JSON.stringify({ usage: reported })}\n\n`)
  return hasDone ? [...events, 'data: [DONE]\n\n'] : events
}

/** The whole message, as an answer that is not streamed has it. */
function wholeEvent(drawn: Drawn, finish_reason: unknown, hasUsage: boolean): string {
  const { text, thought, calls } = meantBy(drawn)
  const tool_calls = calls.map((called, at) => ({ id: `call_${at}`, type: 'function', function: called }))
  const message = {
    ...{ role: 'assistant', content: text },
    ...(thought !== '' && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls }),
  }
  const choices = [{ index: 0, message, finish_reason }]
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', choices, ...(hasUsage && { usage: reported }) })}\n\n`
}

function eventOf(delta: object | null, finish: unknown, at: number, { frames }: Drawn, hasUsage = false): string {
  const how = frames[at % frames.length] as Frame
  const choice = objectOf(
    [
      ['index', how.index],
      ['delta', delta && objectOf(Object.entries(delta), false)],
      ['finish_reason', finish === null ? how.open : finish],
      ['logprobs', how.logprobs],
    ],
    how.isReversed,
  )
  const members: readonly Member[] = [
    ['id', how.id],
    ['object', how.object],
    ['created', how.created],
    ['model', how.model],
    ['choices', [choice]],
    ['usage', hasUsage ? reported : how.usage],
  ]
  return `data: ${JSON.stringify(objectOf(members, how.isReversed))}\n\n`
}

const objectOf = (members: readonly Member[], isReversed: boolean): object =>
  Object.fromEntries((isReversed ? members.toReversed() : members).filter(([, value]) => value !== ABSENT))
