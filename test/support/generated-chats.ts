import fc from 'fast-check'

/** Chats that other dialects can say in full, in the form that they have after a way there and back. */
export const chats = fc
  .record({
    system: fc.option(words(), { nil: undefined }),
    rounds: fc.array(fc.record({ user: userContent(), said: fc.array(assistantSaid(), { maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    last: userContent(),
    tools: fc.uniqueArray(tool(), { maxLength: 3, selector: ({ function: { name } }) => name }),
    choice: fc.constantFrom(undefined, 'auto', 'none', 'required', 'first'),
    isSerial: fc.boolean(),
    settings: fc.record(
      {
        temperature: fc.constantFrom(0, 0.5, 1),
        top_p: fc.constantFrom(0.1, 1),
        reasoning_effort: fc.constantFrom('low', 'medium', 'high', 'xhigh'),
        response_format: fc.constant(FORMAT()),
        stream: fc.constant(true),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ system, rounds, last, tools, choice, isSerial, settings }) => {
    const ids = new Ids()
    const [first] = tools
    return {
      model: 'm',
      max_tokens: 1000,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        ...rounds.flatMap(({ user, said }) => [
          { role: 'user', content: user },
          ...joinedSaid(said).flatMap(each => ids.messagesOf(each)),
        ]),
        { role: 'user', content: last },
      ].reduce(withoutRepeats, []),
      ...(first && {
        tools,
        ...(choice !== undefined && {
          tool_choice: choice === 'first' ? { type: 'function', function: { name: first.function.name } } : choice,
        }),
        // A model that may call nothing calls nothing at once.
        ...(isSerial && choice !== undefined && choice !== 'none' && { parallel_tool_calls: false }),
      }),
      ...settings,
      ...(settings.stream && { stream_options: { include_usage: true } }),
    }
  })

/** A model's answer, with the parts in which it is streamed. */
export const answers = fc.record({
  reasoning: fc.array(text(), { maxLength: 3 }),
  content: fc.array(text(), { maxLength: 3 }),
  calls: fc.array(fc.record({ name: name(), args: args(), cuts: fc.array(fc.nat(40), { maxLength: 3 }) }), {
    maxLength: 3,
  }),
  isCut: fc.boolean(),
  usage: fc
    .record({ read: count(), written: count(), rest: fc.integer({ min: 1, max: 5000 }), output: count() })
    .map(({ read, written, rest, output }) => ({
      prompt_tokens: read + written + rest,
      completion_tokens: output,
      total_tokens: read + written + rest + output,
      prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
      completion_tokens_details: { reasoning_tokens: 0 },
    })),
})

type GeneratedAnswer = typeof answers extends fc.Arbitrary<infer Answer> ? Answer : never

/** An answer as a whole completion. */
export function completionOf({ reasoning, content, calls, usage, ...answer }: GeneratedAnswer): object {
  const said = content.join('')
  const message = {
    role: 'assistant',
    content: said === '' && calls.length > 0 ? null : said,
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        id: `call_${index}`,
        type: 'function',
        function: { name: call.name, arguments: call.args },
      })),
    }),
  }
  return { choices: [{ index: 0, message, finish_reason: finishOf({ calls, ...answer }) }], usage }
}

/** The answer as the chunks of a stream. */
export function chunksOf({ reasoning, content, calls, usage, ...answer }: GeneratedAnswer): readonly object[] {
  const deltas = [
    { role: 'assistant', content: '' },
    ...reasoning.map(reasoning_content => ({ reasoning_content })),
    ...content.map(each => ({ content: each })),
    ...calls.flatMap((call, index) => callDeltas(call, index)),
  ]
  return [
    ...deltas.map(delta => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finishOf({ calls, ...answer }) }] },
    { choices: [], usage },
  ]
}

const finishOf = ({ isCut, calls }: Pick<GeneratedAnswer, 'isCut' | 'calls'>): string =>
  isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'

function callDeltas({ name: called, args: whole, cuts }: GeneratedAnswer['calls'][number], index: number): object[] {
  const places = [0, ...cuts.map(cut => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
  const parts = places.slice(1).map((place, at) => whole.slice(places[at], place))
  const part = (each: object) => ({ tool_calls: [{ index, ...each }] })
  return [
    part({ id: `call_${index}`, type: 'function', function: { name: called, arguments: '' } }),
    ...parts.map(each => part({ function: { arguments: each } })),
  ]
}

function text() {
  // Half of a pair of surrogates is no text.
  return fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
}

/** Words that Messages accepts: a text of blanks is left out. */
function words() {
  return text().filter(each => each.trim() !== '')
}

function name() {
  return fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
}

/** Arguments as they are written by those who parse them. */
function args() {
  return fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text(), { maxKeys: 2 }).map(object => JSON.stringify(object))
}

function count() {
  return fc.nat(5000)
}

function userContent() {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' } }
  const part = words().map(each => ({ type: 'text', text: each }))
  return fc.oneof(
    words(),
    fc.tuple(part, fc.constant(image)),
    fc.tuple(part, part, fc.constant(image), part),
    fc.tuple(fc.constant(image)),
  )
}

interface Said {
  readonly content: string | null
  readonly calls: readonly { readonly name: string; readonly args: string; readonly result: string }[]
}

function assistantSaid(): fc.Arbitrary<Said> {
  const call = fc.record({ name: name(), args: args(), result: words() })
  return fc.oneof(
    words().map(content => ({ content, calls: [] })),
    fc.record({
      content: fc.option(words(), { nil: null }),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    }),
  )
}

/** An assistant says one thing, and goes on after results of tools alone. */
const joinedSaid = (said: readonly Said[]): readonly Said[] => {
  const end = said.findIndex(({ calls }) => calls.length === 0)
  return end === -1 ? said : said.slice(0, end + 1)
}

class Ids {
  #count = 0

  messagesOf({ content, calls }: Said): object[] {
    const ids = calls.map(() => `call_${this.#count++}`)
    const tool_calls = calls.map((call, index) => ({
      id: ids[index],
      type: 'function',
      function: { name: call.name, arguments: call.args },
    }))
    return [
      { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) },
      ...calls.map(({ result }, index) => ({ role: 'tool', tool_call_id: ids[index], content: result })),
    ]
  }
}

interface Message {
  readonly role: string
  readonly [field: string]: unknown
}

/** Messages of a user that follow each other are one in other dialects. */
function withoutRepeats(messages: readonly Message[], message: object): readonly Message[] {
  const next = message as Message
  return messages.at(-1)?.role === 'user' && next.role === 'user'
    ? [...messages.slice(0, -1), next]
    : [...messages, next]
}

function tool() {
  return fc.record({ name: name(), description: text(), strict: fc.boolean() }).map(each => ({
    type: 'function',
    function: { ...each, parameters: { type: 'object', properties: { at: { type: 'string' } } } },
  }))
}

function FORMAT() {
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  return { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } }
}
