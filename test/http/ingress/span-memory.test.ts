import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { SpanMemory } from '../../../src/http/ingress/span-memory.ts'
import { readClientRequest } from '../../../src/wire/client-request.ts'
import type { KnownSpan, KnownSpans } from '../../../src/wire/fast/known-span.ts'
import { outlineBody, parseDialect } from '../../../src/wire/openai/body.ts'
import { checkChat } from '../../../src/wire/openai/chat.ts'

const MB = 1_048_576
const ACCOUNT_BYTES = 8 * MB
const TOTAL_BYTES = 64 * MB
const TEN_MINUTES = 600_000

/** Bytes of which each part is another value. */
const MANY = Buffer.alloc(MB + 20_000, 'x')
for (let at = 0; at < MANY.length; at += 4) MANY.writeUInt32LE((at * 2_654_435_761) >>> 0, at)

const spanOf = (bytes: Buffer): KnownSpan => ({
  bytes,
  value: {},
  ...{ names: 0, values: 1, shortTexts: 0, parsedNames: 0, misspells: false },
})

function setUp() {
  const clock = { at: 0, elapsed: () => clock.at }
  const memory = new SpanMemory(clock)
  const spansOf = (account: string) => memory.of({ account, kind: 'developer' }) as KnownSpans
  const knows = (account: string, bytes: Buffer) => spansOf(account).find(bytes, 0) !== undefined
  /** More values than an account may have. */
  const fill = (account: string, from = 0) => {
    for (let n = 0; n < 20; n++) spansOf(account).add(spanOf(MANY.subarray(from + n, from + n + 100_000)))
  }
  return { clock, memory, spansOf, knows, fill }
}

describe('the memory for values that come again', () => {
  it('adds a value when it comes for the second time', () => {
    const { spansOf } = setUp()

    const wanted = [1, 2, 3].map(() => spansOf('ada').wants(MANY, 0, 5000))

    expect(wanted).toEqual([false, true, false])
  })

  it('finds a value at its place alone, and only if every byte of it is there', () => {
    const { spansOf } = setUp()
    const value = MANY.subarray(0, 50_000)
    spansOf('ada').add(spanOf(value))
    const spans = spansOf('ada')

    expect(spans.find(Buffer.concat([Buffer.from('{"tools":'), value]), 9)?.bytes).toEqual(value)
    expect(spans.find(Buffer.concat([Buffer.from('{"tools":'), value]), 8)).toBeUndefined()
    expect(spans.find(value.subarray(0, -1), 0)).toBeUndefined()
    for (let at = 0; at < value.length; at += 977) {
      const other = Buffer.from(value)
      other.writeUInt8((other.readUInt8(at) + 1) % 256, at)
      expect(spans.find(other, 0)).toBeUndefined()
    }
  })

  it('knows nothing of one account for another one, and nothing of guests', () => {
    const { memory, spansOf, knows } = setUp()
    spansOf('ada').add(spanOf(MANY.subarray(0, 5000)))

    expect(knows('ada', MANY)).toBe(true)
    expect(knows('bob', MANY)).toBe(false)
    expect(memory.of({ account: 'dev_1', kind: 'guest' })).toBeUndefined()
  })

  it('loses nothing of any account to one that sends 10,000 lists of 1 MB', () => {
    const { memory, spansOf, knows } = setUp()
    const [adas, bobs] = [MANY.subarray(0, 60_000), MANY.subarray(7, 60_007)]
    spansOf('ada').add(spanOf(adas))
    spansOf('bob').add(spanOf(bobs))

    for (let n = 0; n < 10_000; n++) spansOf('eve').add(spanOf(MANY.subarray(n, n + 500_000)))
    for (let n = 0; n < 10_000; n++) spansOf('eve').add(spanOf(MANY.subarray(n, n + MB)))

    expect(knows('ada', adas)).toBe(true)
    expect(knows('bob', bobs)).toBe(true)
    expect(memory.taken.bytes).toBeLessThan(ACCOUNT_BYTES + 2 * 400_000)
  })

  it('takes 64 MB at the most, and none of it from an account that sends requests', () => {
    const { memory, knows, fill } = setUp()

    for (let n = 0; n < 100; n++) {
      fill(`acct_${n}`)
      expect(memory.taken.bytes).toBeLessThanOrEqual(TOTAL_BYTES)
    }

    expect(memory.taken.bytes).toBeGreaterThan(0.9 * TOTAL_BYTES)
    expect(knows('acct_0', MANY.subarray(19))).toBe(true)
    expect(knows('acct_99', MANY.subarray(19))).toBe(false)
  })

  it('keeps nothing of an account that was silent for ten minutes', () => {
    const { clock, memory, knows, fill } = setUp()
    for (let n = 0; n < 20; n++) fill(`acct_${n}`)
    clock.at = TEN_MINUTES / 2
    expect(knows('acct_3', MANY.subarray(19))).toBe(true)
    clock.at = TEN_MINUTES + 1

    fill('new')

    expect(knows('new', MANY.subarray(19))).toBe(true)
    expect(knows('acct_0', MANY.subarray(19))).toBe(false)
    expect(knows('acct_3', MANY.subarray(19))).toBe(true)
    expect(memory.taken.accounts).toBe(2)
    expect(memory.taken.bytes).toBeLessThanOrEqual(2 * ACCOUNT_BYTES + 2048)
  })

  it('counts again what an account sends that was dropped while a request of it was read', () => {
    const { clock, memory, spansOf, knows, fill } = setUp()
    fill('slow')
    const slow = spansOf('slow')
    clock.at = TEN_MINUTES + 1
    for (let n = 0; n < 20; n++) fill(`acct_${n}`)
    expect(slow.isEmpty).toBe(true)

    clock.at = 2 * TEN_MINUTES + 2
    slow.add(spanOf(MANY.subarray(0, 5000)))

    expect(knows('slow', MANY)).toBe(true)
    expect(memory.taken.bytes).toBeLessThanOrEqual(TOTAL_BYTES)
  })
})

const TERMS = {
  names: { brand: 'svc', declared: new Map() },
  declared: new Map(),
  thinks: () => false,
  isHosted: () => false,
  spoken: new Set(['messages', 'responses']),
  passed: new Set<string>(),
}

/** Schemas that take far more memory than their bytes, and such as agents send. */
const SCHEMAS: Readonly<Record<string, (size: number) => object>> = {
  'empty objects': size => ({ enum: Array.from({ length: size / 3 }, () => ({})) }),
  'empty lists': size => ({ enum: Array.from({ length: size / 3 }, () => []) }),
  'lists in lists': size => ({ enum: Array.from({ length: size / 30 }, () => [[[[[[[[[[[[]]]]]]]]]]]]) }),
  'numbers that need boxes': size => ({ enum: Array.from({ length: size / 8 }, (_, n) => ({ a: n + 0.5 })) }),
  'names of their own': size => ({
    properties: Object.fromEntries(Array.from({ length: Math.min(size / 16, 4000) }, (_, n) => [`name_${n}`, {}])),
  }),
  'forms of their own': size => ({
    enum: Array.from({ length: Math.min(size / 16, 4000) }, (_, n) => ({ [`name_${n}`]: 1 })),
  }),
  'texts in two bytes': size => ({ enum: Array.from({ length: size / 300 }, (_, n) => `漢${n}${'x'.repeat(290)}`) }),
  'short texts': size => ({ enum: Array.from({ length: size / 10 }, (_, n) => `t${n}`) }),
  'texts of agents': size => ({
    properties: Object.fromEntries(
      Array.from({ length: size / 200 }, (_, n) => [
        `field_${n % 50}`,
        { type: 'string', description: 'x'.repeat(150) },
      ]),
    ),
  }),
}

describe('what is known of a value', () => {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    collect()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }

  /**
   * A memory that was filled, and that counts at least what the process took for it. The process takes memory for other things
   * meanwhile, such as compiled code, so the least of several fillings tells.
   */
  const countedMemory = (fill: (memory: SpanMemory) => void): SpanMemory => {
    for (let tries = 1; ; tries++) {
      const memory = new SpanMemory({ elapsed: () => 0 })
      const before = used()
      fill(memory)
      const grown = used() - before
      if (grown > memory.taken.bytes && tries < 5) continue
      expect(grown).toBeLessThanOrEqual(memory.taken.bytes)
      return memory
    }
  }

  const read = {
    chat: (bytes: Buffer, spans: KnownSpans) => {
      const parsed = outlineBody(bytes, spans)
      return 'denial' in parsed ? parsed : checkChat(parsed)
    },
    messages: (bytes: Buffer, spans: KnownSpans) => {
      const parsed = parseDialect(bytes, spans)
      return 'denial' in parsed ? parsed : readClientRequest('messages', parsed, TERMS)
    },
    responses: (bytes: Buffer, spans: KnownSpans) => {
      const parsed = parseDialect(bytes, spans)
      return 'denial' in parsed ? parsed : readClientRequest('responses', parsed, TERMS)
    },
  }
  const bodyOf = (
    dialect: keyof typeof read,
    tools: readonly { name: string; schema: object }[],
    n: number,
  ): Buffer => {
    const listed = {
      chat: tools.map(({ name, schema }) => ({ type: 'function', function: { name, parameters: schema } })),
      messages: tools.map(({ name, schema }) => ({ name, input_schema: schema })),
      responses: tools.map(({ name, schema }) => ({ type: 'function', name, parameters: schema })),
    }[dialect]
    const asked = { chat: { messages: said }, messages: { messages: said, max_tokens: 5 }, responses: { input: 'Hi' } }[
      dialect
    ]
    return Buffer.from(JSON.stringify({ model: `model-${n}`, ...asked, tools: listed }))
  }
  const said = [{ role: 'user', content: 'Hi' }]

  /** Everything that may be kept is made. */
  const serve = (dialect: keyof typeof read, bytes: Buffer, spans: KnownSpans): void => {
    const wire = read[dialect](bytes, spans)
    if ('denial' in wire) throw new Error(JSON.stringify(wire))
    wire.bodyFor('m', 5)
    wire.spoken?.own?.nativeBody('m', 5)
    const writer = wire.spoken?.writer({ requestId: 'r', created: 1, model: 'm', inputTokens: 1, newId: () => 'x' })
    writer?.chunk({ choices: [{ index: 0, delta: { content: 'Hi' } }] })
    writer?.end({ inputTokens: 1, outputTokens: 1 })
  }

  it.each(
    Object.entries(SCHEMAS).flatMap(([name, schemaOf]) =>
      (['chat', 'messages', 'responses'] as const).flatMap(dialect =>
        [1, 30].map(tools => ({ name, schemaOf, dialect, tools })),
      ),
    ),
  )('takes no more memory than is counted: $name in $tools tools of $dialect', ({ schemaOf, dialect, tools }) => {
    const SIZE = 24_000
    const memory = countedMemory(filled => {
      for (let account = 0; account < 8; account++) {
        const list = Array.from({ length: tools }, (_, n) => ({
          name: `t${account}_${n}`,
          schema: schemaOf(SIZE / tools),
        }))
        for (let n = 0; n < 4; n++) {
          const spans = filled.of({ account: `acct_${account}`, kind: 'developer' }) as KnownSpans
          serve(dialect, bodyOf(dialect, list, n), spans)
        }
      }
    })

    expect(memory.taken.accounts).toBe(8)
    expect(memory.taken.bytes).toBeGreaterThan(8 * SIZE)
  })

  it('counts a list of many tiny tools', () => {
    for (const dialect of ['chat', 'messages', 'responses'] as const) {
      const tools = Array.from({ length: 1000 }, (_, n) => ({ name: `t${n}`, schema: {} }))
      const memory = countedMemory(filled => {
        for (let n = 0; n < 4; n++)
          serve(dialect, bodyOf(dialect, tools, n), filled.of({ account: 'ada', kind: 'developer' }) as KnownSpans)
      })

      expect([dialect, memory.taken.accounts]).toEqual([dialect, 1])
    }
  })
})
