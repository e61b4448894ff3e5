import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpanMemory } from '../../../src/http/ingress/span-memory.ts'
import { type ClientRequestTerms, readClientRequest } from '../../../src/wire/client-request.ts'
import type { Reading } from '../../../src/wire/fast/body-pass.ts'
import type { KnownSpan, KnownSpans } from '../../../src/wire/fast/known-span.ts'
import { WebAssemblyPass } from '../../../src/wire/fast/webassembly-pass.ts'
import { parseChat, readInputAsChat } from '../../../src/wire/input-as-chat.ts'
import { isCostlyBody, outlineBody, parseDialect } from '../../../src/wire/openai/body.ts'
import { checkChat } from '../../../src/wire/openai/chat.ts'
import type { WireRequest } from '../../../src/wire/openai/request.ts'
import { times } from '../../support/times.ts'

type Dialect = 'chat' | 'responses' | 'messages'

/** The terms of a configuration and a plan in which some tools are hosted. */
const termsOf = (hosted: readonly string[]): ClientRequestTerms => ({
  names: { brand: 'svc', declared: new Set(hosted) },
  declared: new Map([['guided_json', new Set()]]),
  thinks: () => false,
  isHosted: tool => hosted.includes(tool),
  spoken: new Set(['messages', 'responses']),
  passed: new Set(['tools.extra']),
})

const NO_TERMS = termsOf([])
const TERMS = [NO_TERMS, termsOf(['web_search']), termsOf(['web_search', 'read'])]

/** A long text, so that a list with it is worth to be known. */
const LONG = 'Reads a "file" — é.\n'.repeat(120)

const name = fc.constantFrom('read', 'write', 'a.b', 'svc_web_search', 'web_search', 'x'.repeat(70), '', 'Read')
const schema: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ type: 'object', properties: { Type: { type: 'string', Name: 1.5 } } }) },
  fc.constantFrom<unknown>(
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
    { allOf: Array.from({ length: 40 }, () => ({ $ref: '#/$defs/a' })) },
    { properties: { a: { $ref: 'https://elsewhere.example.com/schema' } } },
    { enum: ['1e999', 'half', 'nul'] },
    { 7: 1, 3: 2, items: [[]] },
    [],
    null,
  ),
)
/** Members that only some lists have, and that are seldom right. */
const odd = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  fc.constantFrom<object>(
    { cache_control: { type: 'ephemeral' } },
    { cache_control: { type: 'ephemeral', ttl: '1h' } },
    { extra: [{ url: 'https://a.example.com' }] },
    { unknown: 1 },
    { Description: 'x' },
    { hosted: true },
    { hosted: false },
    { strict: true },
    { input_examples: [{ path: 'a' }] },
    { server_url: 'ftp://a' },
  ),
)

const functionOf = fc.record({ name, description: fc.constantFrom('short', LONG), schema, odd, inner: odd })
const service = fc.constantFrom<object>(
  { type: 'hosted', name: 'web_search' },
  { type: 'web_search_20250305', name: 'web_search' },
  { type: 'web_search' },
  { type: 'local_shell' },
  { type: 'bash_20250124', name: 'bash' },
  { type: 'mcp', server_label: 'a', server_url: 'https://a.example.com' },
  { type: 'custom', name: 'patch', custom: { name: 'patch' }, input_schema: {} },
  { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'go' }] },
)
const TOOL: Readonly<
  Record<Dialect, (made: { name: string; description: string; schema: unknown; odd: object; inner: object }) => object>
> = {
  chat: ({ name, description, schema, odd, inner }) => ({
    ...{ type: 'function', ...odd },
    function: { name, description, parameters: schema, ...inner },
  }),
  responses: ({ name, description, schema, odd }) => ({
    type: 'function',
    name,
    description,
    parameters: schema,
    ...odd,
  }),
  messages: ({ name, description, schema, odd }) => ({ name, description, input_schema: schema, ...odd }),
}
const toolsOf = (dialect: Dialect) =>
  fc
    .tuple(
      fc.array(functionOf, { minLength: 1, maxLength: 4 }),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(service, { maxLength: 2 })),
    )
    .map(([functions, services]) => [
      ...functions.map((made, at) => TOOL[dialect](at === 0 ? { ...made, description: LONG } : made)),
      ...services,
    ])

const format = fc.constantFrom({ type: 'json_schema', json_schema: { name: 'a', schema: { description: LONG } } })
const FORMATS: Readonly<Record<Dialect, string>> = {
  chat: 'response_format',
  responses: 'text',
  messages: 'output_config',
}
const formatIn = (dialect: Dialect, whole: { readonly json_schema: { readonly schema: object } }): object => {
  if (dialect === 'chat') return whole
  const { schema } = whole.json_schema
  return { format: { type: 'json_schema', name: 'a', schema } }
}

const call = { id: 'c1', type: 'function', function: { name: 'a.b', arguments: '{}' } }
const SAID: Readonly<Record<Dialect, readonly object[]>> = {
  chat: [
    { messages: [{ role: 'user', content: 'Hi' }] },
    {
      messages: [
        { role: 'system', content: LONG },
        { role: 'user', content: 'Go' },
      ],
      stream: true,
      n: 2,
    },
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
    },
    { messages: [{ role: 'user', content: 'x', name: 7 }] },
    { messages: [{ role: 'user', content: 'nul' }], functions: [{ name: 'old', description: LONG }] },
  ],
  responses: [
    { input: 'Hi' },
    { input: [{ role: 'user', content: LONG }], instructions: LONG, stream: true },
    {
      input: [
        { type: 'additional_tools', tools: [{ type: 'function', name: 'read' }] },
        { role: 'user', content: 'x' },
      ],
    },
    {
      input: [
        { type: 'function_call', call_id: 'c1', name: 'a b', arguments: '{}' },
        { role: 'user', content: 'half' },
      ],
    },
  ],
  messages: [
    { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] },
    {
      max_tokens: 50,
      system: [{ type: 'text', text: LONG }],
      messages: [{ role: 'user', content: LONG }],
      stream: true,
    },
    {
      max_tokens: 50,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'a b', input: {} }] },
        { role: 'user', content: 'x' },
      ],
    },
  ],
}
const choice = fc.constantFrom<unknown>(
  ...[undefined, undefined, 'auto', { type: 'tool', name: 'read' }, { type: 'function', name: 'read' }],
  ...[
    { type: 'auto', disable_parallel_tool_use: true },
    { type: 'function', function: { name: 'write' } },
  ],
  { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'read' }] },
)

/** Values that JSON.stringify cannot write. */
const oddities = (json: string): string =>
  json.replaceAll('"1e999"', '1e999').replaceAll('"half"', '"\\ud800"').replaceAll('"nul"', '"\\u0000"')

/** How a client writes its body: other blanks, names with escapes, and names that stand twice. */
const spelling = fc.constantFrom<(json: string, tools: string) => string>(
  ...Array.from({ length: 6 }, () => (json: string) => json),
  json => json.replaceAll('"tools":', '"tools" :\n '),
  json => json.replaceAll('"tools":', '"t\\u006fols":'),
  json => json.replaceAll('"description"', '"descripti\\u006fn"'),
  json => json.replaceAll('"description":', '"description":"first","description":'),
  (json, tools) => json.replace('{', `{"tools":${tools},`),
  (json, tools) => json.replace(/\}$/, `,"tools":${tools}}`),
  (json, tools) => json.replace(/\}$/, `,"tools":${tools.replace('Reads', 'reads')}}`),
  json => json.replace(/\}$/, ',"tools":[]}'),
  json => json.replace('"tools":[', '"tools":[['),
  json => json.replace(/\}$/, ''),
)

interface Case {
  readonly dialect: Dialect
  readonly bodies: readonly Buffer[]
  readonly terms: readonly ClientRequestTerms[]
}

const cases: fc.Arbitrary<Case> = fc.constantFrom<Dialect>('chat', 'responses', 'messages').chain(dialect =>
  fc
    .record({
      tools: toolsOf(dialect),
      format: fc.option(format, { nil: undefined }),
      said: fc.array(fc.constantFrom(...SAID[dialect]), { minLength: 3, maxLength: 6 }),
      choices: fc.array(choice, { minLength: 6, maxLength: 6 }),
      first: fc.boolean(),
      write: spelling,
      terms: fc.array(fc.constantFrom(...TERMS), { minLength: 6, maxLength: 6 }),
    })
    .map(({ tools, format: whole, said, choices, first, write, terms }) => {
      const bodies = said.map((each, at) => {
        const listed = { tools, ...(whole && { [FORMATS[dialect]]: formatIn(dialect, whole) }) }
        const others = { model: 'svc-core', ...each, tool_choice: choices[at] }
        const json = oddities(JSON.stringify(first ? { ...listed, ...others } : { ...others, ...listed }))
        // Some of them are written as they are, so that what is known stands beside what is not.
        return Buffer.from(at % 2 === 0 ? json : write(json, oddities(JSON.stringify(tools))))
      })
      return { dialect, bodies, terms }
    }),
)

/** Bytes as a text that shows where two differ. */
const text = (bytes: Buffer | undefined) => bytes?.toString('latin1')

function parsedBy(dialect: Dialect, bytes: Buffer, terms: ClientRequestTerms, spans?: KnownSpans) {
  if (dialect !== 'chat') {
    const parsed = parseDialect(bytes, spans)
    return 'denial' in parsed ? parsed : readClientRequest(dialect, parsed, terms)
  }
  const parsed = parseChat(bytes, spans)
  if ('denial' in parsed) return parsed
  return parsed.input ? readInputAsChat(parsed.input, terms) : checkChat(parsed, terms.names, terms.declared)
}

/** Everything that a request comes to: what policy judges, what backends get, and what its client gets. */
function outcomeOf(dialect: Dialect, bytes: Buffer, terms: ClientRequestTerms, spans?: KnownSpans) {
  const wire = parsedBy(dialect, bytes, terms, spans)
  if ('denial' in wire) return wire
  const { request, stream, isProse, hosted, spoken } = wire
  const { own } = spoken ?? {}
  return {
    ...{ request, stream, isProse, routed: wire.routedText?.(), listed: hosted && [...hosted.listed] },
    chats: [{}, { marks: true }, { streams: true, caps: ['max_tokens'] }].map(each =>
      text(wire.bodyFor('pool-model', 7, each as Parameters<WireRequest['bodyFor']>[2])),
    ),
    natives:
      own &&
      [{}, { cut: ['web_search'] }, { passes: ['tools.extra'], drops: ['tool_choice'] }].map(each =>
        text(own.nativeBody('pool-model', 7, each)),
      ),
    round: text(hosted?.bodyFor({ model: 'm', output: 7 }, { number: 0, messages: [], offered: new Map() })),
    answers: answersOf(wire),
  }
}

const usage = { inputTokens: 5, outputTokens: 2 }
const said = {
  role: 'assistant',
  content: null,
  tool_calls: [{ ...call, index: 0, function: { name: 'a_b', arguments: '{}' } }],
}

function answersOf({ spoken }: WireRequest) {
  let ids = 0
  const writer = () =>
    spoken?.writer({ requestId: 'req', created: 1, model: 'm', inputTokens: 5, newId: () => `id${++ids}` })
  const streamed = writer()
  return [
    JSON.stringify(writer()?.whole({ choices: [{ index: 0, message: said, finish_reason: 'tool_calls' }] }, usage)),
    streamed?.chunk({ choices: [{ index: 0, delta: said, finish_reason: 'tool_calls' }] }),
    streamed?.end(usage),
    writer()?.fail({ message: 'x', type: 'server_error', code: 'x' }),
  ]
}

/** Counts the values that were known. */
class Counted implements KnownSpans {
  found = 0
  readonly #spans: KnownSpans

  constructor(spans: KnownSpans) {
    this.#spans = spans
  }

  get isEmpty(): boolean {
    return this.#spans.isEmpty
  }

  find(bytes: Buffer, at: number): KnownSpan | undefined {
    const span = this.#spans.find(bytes, at)
    if (span) this.found++
    return span
  }

  wants(bytes: Buffer, from: number, to: number): boolean {
    return this.#spans.wants(bytes, from, to)
  }

  add(span: KnownSpan): void {
    this.#spans.add(span)
  }
}

/** Compares what each of some bodies comes to where those before are known; how many values were known, and bodies refused. */
function compare({ dialect, bodies, terms }: Case, looks: boolean) {
  const memory = new SpanMemory({ elapsed: () => 0 })
  const counts = { found: 0, denied: 0 }
  for (const [at, bytes] of bodies.entries()) {
    const spans = new Counted(memory.of({ account: 'acct_1', kind: 'developer' }) as KnownSpans)
    const some = terms[at] ?? NO_TERMS
    if (looks) isCostlyBody(bytes, dialect === 'chat' ? 'chat' : 'dialects', spans)

    const known = outcomeOf(dialect, bytes, some, spans)

    expect(known).toEqual(outcomeOf(dialect, bytes, some))
    counts.found += spans.found
    if ('denial' in known) counts.denied++
  }
  return counts
}

describe('a body whose tools came before', () => {
  it('comes to the same as one whose tools are read for the first time, byte for byte', () => {
    const sum = { found: 0, denied: 0 }
    const runs = times(3000)
    fc.assert(
      fc.property(cases, fc.boolean(), (each, looks) => {
        const { found, denied } = compare(each, looks)
        sum.found += found
        sum.denied += denied
      }),
      { numRuns: runs },
    )
    expect(sum.found).toBeGreaterThan(runs / 2)
    expect(sum.denied).toBeGreaterThan(runs / 10)
  })
})

describe('the pass over a body with known values', () => {
  const pass = new WebAssemblyPass(1n)
  const MOST = { depth: 64, values: 105_000, members: 256 }
  const tools = JSON.stringify([{ name: 'a', items: [1, 'two', { é: null }], description: LONG }])
  const spans = () => {
    const known = new SpanMemory({ elapsed: () => 0 }).of({ account: 'acct_1', kind: 'developer' }) as KnownSpans
    for (let n = 0; n < 2; n++) outlineBody(Buffer.from(`{"tools":${tools}}`), known)
    return known
  }

  it.each([
    `{"model":"m","tools":${tools},"messages":[{"content":"${'x'.repeat(300)}"}]}`,
    `{"tools":${tools}}`,
    `{ "tools" : ${tools} , "functions":\n${tools},"n":1}`,
    `{"tools":${tools},"tools":${tools}}`,
    `{"a":"short","tools":${tools},"b":["c"]}`,
    `{"tools":${tools}`,
    `{"tools":${tools}"x":1}`,
  ])('counts in %.60s what it counts without', body => {
    const bytes = Buffer.from(body)
    const { known, elision: _known, ...some } = pass.read(bytes, MOST, 'chat', spans()) as Reading
    const { known: none, elision: _none, ...all } = pass.read(bytes, MOST, 'chat') as Reading

    expect(known.length).toBeGreaterThan(0)
    expect(none).toEqual([])
    expect(some).toEqual(all)
  })

  it.each([
    ['in messages', `{"messages":${tools}}`],
    ['in an input', `{"input":${tools}}`],
    ['in a system prompt', `{"system":${tools}}`],
    ['below the outermost object', `{"a":{"tools":${tools}}}`],
    ['behind a name with escapes', `{"t\\u006fols":${tools}}`],
    ['beside U+0000', `{"tools":${tools},"a":"\\u0000"}`],
    ['with one byte more', `{"tools":${tools.replace('"two"', '"two "')}}`],
    ['in a list', `[${tools}]`],
  ])('finds none %s', (_, body) => {
    const { known } = pass.read(Buffer.from(body), MOST, 'chat', spans()) as Reading

    expect(known).toEqual([])
  })

  it.each([
    ['values', { ...MOST, values: 5 }],
    ['members', { ...MOST, members: 1 }],
  ])('passes the bound of %s where it does without', (_, most) => {
    const bytes = Buffer.from(`{"tools":${tools},"b":1}`)

    expect(pass.read(bytes, most, 'chat', spans())).toEqual(pass.read(bytes, most, 'chat'))
  })
})
