import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scriptPass } from '../../../src/wire/fast/script-pass.ts'
import { WebAssemblyPass } from '../../../src/wire/fast/webassembly-pass.ts'

const webAssembly = new WebAssemblyPass(0x1234_5678_9abc_def0n)
const MOST = { depth: 6, values: 40, members: 5 }

/** Pieces of JSON, and of what is nearly JSON, so that all that the passes tell apart comes often. */
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\n') },
  {
    weight: 6,
    arbitrary: fc.constantFrom('"a":', '"b":', '"7":', '"":', '"messages":', '"tex\\u0074":', '"a"', '"é"'),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '\\u0000',
      '\\ud83d\\ude00',
      '\\ud83d',
      '\\udc00',
      '\\u00e9',
      '\\u20ac',
      '\\uzzzz',
      '\\"',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom('1e9', 'true', 'null', '\u0001', '漢', '😀', '\u007f', '\\x', '\\n') },
  { weight: 1, arbitrary: fc.nat(400).map(length => `"${'x'.repeat(length)}"`) },
)
const text = fc.array(piece, { maxLength: 60 }).map(pieces => Buffer.from(pieces.join('')))
const object = fc
  .dictionary(fc.constantFrom('a', 'b', 'content', '7', 'é', 'a"b'), fc.jsonValue(), { maxKeys: 7 })
  .map(value => Buffer.from(JSON.stringify(value)))
const cut = fc.tuple(object, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1)))

/** Before the first string there is no name that either pass could tell the place of: no parser takes such a text. */
const beginsWithColon = (bytes: Buffer): boolean => /^[^"]*:/.test(bytes.toString('latin1'))

describe('the pass in JavaScript', () => {
  it('finds in any bytes what the one in WebAssembly finds', () => {
    let found = 0
    fc.assert(
      fc.property(fc.oneof(text, object, cut), bytes => {
        fc.pre(!beginsWithColon(bytes))
        const reading = webAssembly.read(bytes, MOST, 'none')

        expect(scriptPass.read(bytes, MOST, 'none')).toEqual(reading)
        if (typeof reading === 'object') found += reading.members.length
      }),
      { numRuns: 4000 },
    )
    expect(found).toBeGreaterThan(500)
  })

  it.each([
    ['depth', { depth: 2, values: 1000, members: 1000 }],
    ['values', { depth: 1000, values: 9, members: 1000 }],
    ['members', { depth: 1000, values: 1000, members: 1 }],
  ] as const)('stops at the same bound: %s', (bound, most) => {
    const bytes = Buffer.from('{"a":[[1,2,3,4,5,6,7,8]],"b":2}')

    expect(scriptPass.read(bytes, most, 'none')).toBe(bound)
    expect(webAssembly.read(bytes, most, 'none')).toBe(bound)
  })

  it('keeps as many members as the one in WebAssembly, and says that there are more', () => {
    const most = { depth: 9, values: 10_000, members: 10_000 }
    const bytes = Buffer.from(`{${Array.from({ length: 1100 }, (_, n) => `"k${n}": ${n}`).join(',')}}`)

    expect(scriptPass.read(bytes, most, 'none')).toEqual(webAssembly.read(bytes, most, 'none'))
  })

  it('counts the names and short texts that are new to the parser alike', () => {
    const counted = new Set<string>()
    fc.assert(
      fc.property(fc.oneof(text, object), fc.nat(12), fc.nat(12), (bytes, names, texts) => {
        fc.pre(!beginsWithColon(bytes))
        const exceeded = webAssembly.newExceeded(bytes, { names, texts })

        expect(scriptPass.newExceeded(bytes, { names, texts })).toBe(exceeded)
        counted.add(String(exceeded))
      }),
      { numRuns: 4000 },
    )
    expect([...counted].sort()).toEqual(['names', 'texts', 'undefined'])
  })
})

describe('where WebAssembly cannot start', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.resetModules()
  })

  it('a body is read all the same, and refused for the same', async () => {
    vi.resetModules()
    const start = vi.spyOn(WebAssembly, 'Instance').mockImplementation(() => {
      throw new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance')
    })
    const { outlineBody } = await import('../../../src/wire/openai/body.ts')
    const said = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(1000) }] }
    const read = outlineBody(Buffer.from(JSON.stringify(said)))

    expect(start).toHaveBeenCalled()
    expect('denial' in read ? read : read.texts.whole()).toEqual(said)
    expect('denial' in read ? undefined : read.written?.members.length).toBe(2)
    expect(outlineBody(Buffer.from(`${'['.repeat(65)}`))).toMatchObject({
      denial: { problem: 'is nested deeper than 64 levels' },
    })
  })
})
