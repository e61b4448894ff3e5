import { isDeepStrictEqual } from 'node:util'
import {
  type Arbitrary,
  array,
  boolean,
  assert as check,
  constant,
  constantFrom,
  dictionary,
  double,
  jsonValue,
  nat,
  option,
  property,
  record,
  string,
  uint8Array,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadMessage, Reader, Writer } from '../../../src/adapters/remote/bytes.ts'
import { CALLS, type CallShape } from '../../../src/adapters/remote/calls.ts'
import { type Codec, codecOf } from '../../../src/adapters/remote/codec.ts'
import { framesOf, METHODS, Outbox } from '../../../src/adapters/remote/protocol.ts'
import type { AnyShape } from '../../../src/records/shape.ts'
import { times } from '../../support/times.ts'

/** Binary messages in the table, by the name of their call. */
const MESSAGES: readonly (readonly [string, AnyShape])[] = Object.entries(CALLS).flatMap(([facet, calls]) =>
  Object.entries(calls as Record<string, CallShape>).flatMap(([name, { args, answer }]) =>
    [
      ...args.map((shape, place) => [`${facet}.${name}, argument ${place}`, shape] as const),
      [`${facet}.${name}, answer`, answer] as const,
    ].map(([what, shape]) => [what, shape as AnyShape] as const),
  ),
)
const BINARY = MESSAGES.filter(([, { kind }]) => kind === 'record' || kind === 'list' || kind === 'either')
const RUNS = times(10_000, 200)
/** Each of these is read as often as it has bytes. */
const CUT_RUNS = times(1000, 10)

describe.each(BINARY)('a message of the table, %s', (_name, shape) => {
  const codec: Codec<unknown> = codecOf(shape)

  it('is read as it was written', () => {
    check(
      property(valuesOf(shape), value => {
        const bytes = written(codec, value)
        const reader = new Reader(bytes)
        expectSame(codec.read(reader), value)
        expect(reader.at).toBe(bytes.length)
      }),
      { numRuns: RUNS },
    )
  })

  it('is refused wherever it is cut off', () => {
    check(
      property(valuesOf(shape), value => {
        const bytes = written(codec, value)
        const read = Array.from(bytes.keys()).filter(at => isRead(codec, bytes.subarray(0, at)))
        expect(read).toEqual([])
      }),
      { numRuns: CUT_RUNS },
    )
  })

  it('is refused or read where any of its bytes is another one, without taking more memory than it has bytes', () => {
    check(
      property(valuesOf(shape), nat(), nat(255), (value, place, other) => {
        const bytes = written(codec, value)
        if (bytes.length === 0) return
        bytes[place % bytes.length] = other
        try {
          codec.read(new Reader(bytes))
        } catch (error) {
          expect(error instanceof BadMessage || error instanceof SyntaxError).toBe(true)
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('frames', () => {
  const admission = METHODS.find(({ name }) => name === 'admit')
  const codec = admission?.args[0] as Codec<unknown>
  const shape = CALLS.holds.admit.args[0] as AnyShape

  it('arrive whole and in order, in whatever pieces their bytes come', () => {
    check(
      property(array(valuesOf(shape), { maxLength: 6 }), array(nat(400), { minLength: 1 }), (values, sizes) => {
        let sent: Buffer = Buffer.alloc(0)
        const outbox = new Outbox(bytes => {
          sent = Buffer.concat([sent, bytes])
        })
        values.forEach((value, call) => {
          outbox.put(1, call, writer => codec.write(writer, value))
        })
        outbox.flush()
        const read: unknown[] = []
        const take = framesOf((kind, call, reader) => {
          expectSame([kind, call], [1, read.length])
          read.push(codec.read(reader))
        })
        for (let at = 0, n = 0; at < sent.length; n++) {
          const size = 1 + (sizes[n % sizes.length] ?? 0)
          take(sent.subarray(at, at + size))
          at += size
        }
        expectSame(read, values)
      }),
      { numRuns: RUNS },
    )
  })

  it.each([
    ['that is shorter than its head', 4],
    ['that is longer than any message', 2 ** 31],
  ])('are refused at a length %s', (_what, length) => {
    const bytes = Buffer.alloc(64)
    bytes.writeUInt32LE(length)

    expect(() => framesOf(() => {})(bytes)).toThrow(BadMessage)
  })

  it('are refused where the reader does not come to their end', () => {
    const bytes = Buffer.alloc(20)
    bytes.writeUInt32LE(16)

    expect(() => framesOf((_kind, _call, reader) => reader.u8())(bytes)).toThrow(BadMessage)
  })

  it('of a message that could not be written leave nothing between the others', () => {
    let sent: Buffer = Buffer.alloc(0)
    const outbox = new Outbox(bytes => {
      sent = bytes
    })
    outbox.put(1, 1, writer => writer.u8(7))
    expect(() => outbox.put(1, 2, writer => codec.write(writer, { requestId: 'x' }))).toThrow()
    outbox.put(1, 3, writer => writer.u8(9))
    outbox.flush()

    const read: number[][] = []
    framesOf((_kind, call, reader) => read.push([call, reader.u8()]))(sent)
    expect(read).toEqual([
      [1, 7],
      [3, 9],
    ])
  })
})

describe('lengths that lie', () => {
  it.each([
    ['a text', 0xffffffff, (reader: Reader) => reader.text()],
    ['a list', 0xffffffff, (reader: Reader) => reader.count()],
    ['bytes', 0xffffffff, (reader: Reader) => reader.raw()],
    ['a text of odd length of UTF-16', 3, (reader: Reader) => reader.text()],
  ])('are refused: %s', (_what, length, read) => {
    const bytes = Buffer.alloc(12, 1)
    bytes.writeUInt32LE(length)

    expect(() => read(new Reader(bytes))).toThrow(BadMessage)
  })
})

/** `expect` takes longer for values that are the same than all else of a case. */
function expectSame(value: unknown, as: unknown): void {
  if (!isDeepStrictEqual(value, as)) expect(value).toEqual(as)
}

function isRead(codec: Codec<unknown>, bytes: Buffer): boolean {
  const { stackTraceLimit } = Error
  // Nobody reads the stack of these errors, which are many.
  Error.stackTraceLimit = 0
  try {
    codec.read(new Reader(bytes))
    return true
  } catch {
    return false
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function written(codec: Codec<unknown>, value: unknown): Buffer {
  const writer = new Writer(16)
  codec.write(writer, value)
  return writer.take()
}

/** Every value of a shape: what the table says is all that is known of it. */
function valuesOf(shape: AnyShape): Arbitrary<unknown> {
  switch (shape.kind) {
    case 'number':
    case 'moment':
      return double({ noNaN: true })
    case 'flag':
      return boolean()
    case 'text':
      return string({ unit: constantFrom('a', 'é', 'ÿ', 'Ā', '雪', '\ud800', '\udc00', '\0', '😀'), maxLength: 60 })
    case 'bytes':
      return uint8Array().map(each => Buffer.from(each))
    case 'nothing':
      return constant(undefined)
    case 'counts':
      return dictionary(string(), nat(), { noNullPrototype: true }).map(plain)
    case 'texts':
      return dictionary(string(), string(), { noNullPrototype: true }).map(plain)
    case 'json':
      return shape.repeated
        ? dictionary(string(), jsonValue(), { noNullPrototype: true }).map(plain)
        : jsonValue().map(plain)
    case 'list':
      return array(valuesOf(shape.item), { maxLength: 4 })
    case 'optional':
      return option(valuesOf(shape.present), { nil: undefined })
    case 'constant':
      return constantFrom(...shape.among)
    case 'either':
      return boolean().chain(isThen =>
        isThen ? valuesOf(shape.then) : dictionary(string(), jsonValue(), { noNullPrototype: true }).map(plain),
      )
    case 'record':
      return fieldsOf(shape.fields)
  }
}

function fieldsOf(fields: Readonly<Record<string, AnyShape>>): Arbitrary<unknown> {
  const names = Object.keys(fields)
  const values = Object.fromEntries(
    names.map(name => {
      const shape = fields[name] as AnyShape
      return [name, valuesOf(shape.kind === 'optional' ? shape.present : shape)]
    }),
  )
  return record(values, { requiredKeys: names.filter(name => fields[name]?.kind !== 'optional') }).map(each => ({
    ...each,
  }))
}

/** As JSON has it: no -0. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
