import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Texts } from '../../../src/wire/fast/outline.ts'
import { isObject } from '../../../src/wire/json-safety.ts'
import { type OutlinedBody, outlineBody, parseBody } from '../../../src/wire/openai/body.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { times } from '../../support/times.ts'

function outlined(text: string): OutlinedBody {
  const read = outlineBody(Buffer.from(text))
  if ('denial' in read) throw new Error(`${text.slice(0, 200)} is refused: ${JSON.stringify(read)}`)
  return read
}

/** An outline with its texts in the place of their marks. */
function filled(value: unknown, texts: Texts): unknown {
  if (typeof value === 'string') return texts.read(value)
  if (Array.isArray(value)) return value.map(item => filled(item, texts))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, texts)]))
}

/** The strings in a value, at any depth. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** How many marks an outline has, names and all. */
const marksIn = (json: string): number => JSON.stringify(outlined(json).outline).match(/\\u0000\d+"/g)?.length ?? 0

/** Around the sixteen bytes that are read at once, and around what is long. */
const size = fc.oneof(fc.nat(40), fc.integer({ min: 230, max: 300 }), fc.integer({ min: 256, max: 560 }))
const piece = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom('a', 'b c', 'é', '漢', '😀', '"', '\\', '\n', '\t', '/', '\\"', '\u2028') },
  { weight: 1, arbitrary: fc.constantFrom('\u0000', '\u0001') },
)
const begin = fc.constantFrom('', '', '', 'data:image/')
const text = fc.tuple(begin, size, fc.array(piece, { maxLength: 6 }), fc.nat()).map(([start, length, pieces, at]) => {
  const plain = start + 'x'.repeat(length)
  const mixed = pieces.reduce((made, each, i) => {
    const place = (at * (i + 7)) % (made.length + 1)
    return made.slice(0, place) + each + made.slice(place)
  }, plain)
  return mixed.toWellFormed()
})
/** A text as JSON, as one or the other client writes it. */
const written = text.chain(said =>
  fc.constantFrom(0, 0, 0, 1, 2, 3).map(how => {
    const json = JSON.stringify(said)
    if (how === 1) return json.replaceAll('/', '\\/')
    if (how === 2) return json.replace(/[^ -~]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
    return how === 3 ? json.replace('x', '\\u0078') : json
  }),
)
const blank = fc.constantFrom('', '', '', ' ', '\n  ', '\t')
const member = fc
  .tuple(
    fc.constantFrom(
      'content',
      'content',
      'text',
      'text',
      'role',
      'name',
      'arguments',
      'url',
      'url',
      'contents',
      'tex\\u0074',
    ),
    blank,
    blank,
    written,
  )
  .map(([name, before, after, value]) => `"${name}"${before}:${after}${value}`)
const object = fc.array(member, { maxLength: 4 }).map(members => `{${members.join(',')}}`)
const part = fc
  .tuple(object, fc.constantFrom('"content"', '"image_url"', '"text"'))
  .map(([own, name]) => `{${name}:[${own}]}`)
const messages = fc.array(fc.oneof(object, part, written), { maxLength: 4 }).map(all => `[${all.join(',')}]`)
const body = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: messages.map(all => `"messages":${all}`) },
      { weight: 1, arbitrary: messages.map(all => `"tools" : ${all}`) },
      { weight: 2, arbitrary: fc.oneof(messages, object, written, part).map(all => `"input":${all}`) },
      { weight: 1, arbitrary: fc.constantFrom('"model":"m"', '"n":1e0', '"mess\\u0061ges":[]', '"x":{"messages":[]}') },
      { weight: 1, arbitrary: member },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .chain(members => blank.map(space => `${space}{${members.join(`${space},`)}}${space}`))

/** Bytes of which something is wrong, most of the time. */
const broken = fc
  .tuple(
    body,
    fc.array(
      fc.tuple(fc.nat(), fc.constantFrom('put', 'cut', 'set'), fc.constantFrom(...'"\\{}[],: u0nx\n\0\x1f\x7fÿ')),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([said, changes]) => {
    let bytes = Buffer.from(said)
    for (const [place, how, byte] of changes) {
      const at = place % (bytes.length + 1)
      const put = how === 'cut' ? Buffer.alloc(0) : Buffer.from(byte, 'latin1')
      bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(how === 'put' ? at : at + 1)])
    }
    return bytes
  })

describe('the outline of a body', () => {
  it('has all that parsing it has, and knows how large each text is', () => {
    let marks = 0
    fc.assert(
      fc.property(body, said => {
        const { outline, texts } = outlined(said)
        const whole: unknown = JSON.parse(said)

        expect(filled(outline, texts)).toEqual(whole)
        expect(texts.whole()).toEqual(whole)
        for (const each of stringsIn(outline)) {
          expect(texts.sizeOf(each)).toBe(Buffer.byteLength(texts.read(each)))
          if (texts.read(each) !== each) marks++
        }
      }),
      { numRuns: times(3000) },
    )
    expect(marks).toBeGreaterThan(times(300))
  })

  it('is refused where the body is, and where the parser refuses it', () => {
    let refused = 0
    fc.assert(
      fc.property(broken, bytes => {
        const [outline, whole] = [outlineBody(bytes), parseBody(bytes)]

        expect('denial' in outline ? outline : undefined).toEqual('denial' in whole ? whole : undefined)
        expect(
          'denial' in whole && whole.denial.code === 'VALIDATION_ERROR' && /JSON|UTF-8/.test(whole.denial.problem),
        ).toBe(!isUtf8(bytes) || !isJson(bytes.toString()))
        if ('denial' in whole) refused++
        if (!('denial' in outline) && !('denial' in whole))
          expect(filled(outline.outline, outline.texts)).toEqual(whole.body)
      }),
      { numRuns: times(6000) },
    )
    expect(refused).toBeGreaterThan(times(2000))
  })

  it('says where each member of the body stands', () => {
    fc.assert(
      fc.property(body, said => {
        const { outline, texts, written: plain } = outlined(said)
        fc.pre(plain !== undefined)
        const found = plain.members.map(({ nameStart, nameEnd, start, end }) => [
          plain.bytes.toString('utf8', nameStart, nameEnd),
          JSON.parse(plain.bytes.toString('utf8', start, end)),
        ])

        expect(found).toEqual(Object.entries(outline).map(([name, value]) => [name, filled(value, texts)]))
      }),
      { numRuns: times(1000) },
    )
  })
})

const isJson = (said: string): boolean => {
  try {
    return isObject(JSON.parse(said))
  } catch {
    return false
  }
}

describe('a long text of a message or an input', () => {
  const long = 'Say "this".\n'.repeat(100)
  const said = (content: unknown) => JSON.stringify({ messages: [{ role: 'user', content }] })

  it('is not parsed, be it the content, a part of it, what a tool is called with, or one of several', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: long } }
    expect(marksIn(JSON.stringify({ messages: [{ role: 'assistant', tool_calls: [call] }] }))).toBe(1)
    expect(marksIn(said(long))).toBe(1)
    expect(marksIn(JSON.stringify({ x: [1], input: long }))).toBe(1)
    expect(marksIn(JSON.stringify({ input: [long, 'short', long], y: { z: 1 } }))).toBe(2)
    expect(
      marksIn(
        said([
          { type: 'text', text: long },
          { type: 'text', text: long },
        ]),
      ),
    ).toBe(2)
  })

  it.each([
    ['that is no longer than a name', said('x'.repeat(255))],
    ['of a tool', JSON.stringify({ tools: [{ content: long, text: long }] })],
    ['beside the messages', JSON.stringify({ content: long, text: long })],
    [
      'of members that are nearly messages',
      JSON.stringify({ message1: [{ content: long }], messages1: [{ content: long }] }),
    ],
    [
      'of names that are nearly content',
      JSON.stringify({ messages: [{ conduct: long, context: long, contents: long }] }),
    ],
    [
      'of names that are nearly arguments',
      JSON.stringify({ messages: [{ argumenta: long, argument: long, argumints: long }] }),
    ],
    [
      'of a picture that is none',
      JSON.stringify({ messages: [`data:imago/${long}`, `data:xxage/${long}`].map(url => ({ url })) }),
    ],
    [
      'of names that are nearly url',
      JSON.stringify({ messages: [`data:image/${long}`].map(urn => ({ urn, urls: urn })) }),
    ],
    ['of names that are nearly text', JSON.stringify({ messages: [{ tent: long, text1: long, name: long }] })],
    ['of an input that is no text and no list of them', JSON.stringify({ input: { a: [long], [long]: [long] } })],
    ['of a list in an input', JSON.stringify({ input: [[long], { a: long, [long]: 1 }] })],
    [
      'of members that are nearly an input',
      JSON.stringify({ inputs: [long], inpux: long, xinput: [long], event: long }),
    ],
    ['behind an input', JSON.stringify({ input: [long.slice(0, 100)], [long]: 1, user: long, x: [long] })],
    ['that is a name', JSON.stringify({ messages: [{ content: { [long]: 1 } }] })],
    ['of a list', JSON.stringify({ messages: [{ content: [long] }] })],
    [
      'of a body with U+0000, of which marks are made',
      `{"messages":[{"content":${JSON.stringify(long)},"x":"\\u0000"}]}`,
    ],
  ])('is parsed as it is where it is one %s', (_name, json) => {
    expect(marksIn(json)).toBe(0)
  })

  it('weighs what it weighs beside one that looks like a mark', () => {
    const asked = JSON.stringify({
      messages: [
        { role: 'user', content: long },
        { role: 'user', content: '\0' + '0' },
      ],
    })
    const read = readChat(Buffer.from(asked))

    expect(read).toMatchObject({ request: { textBytes: 'user'.length * 2 + long.length + 2 } })
  })

  it('is a picture that weighs nothing, or the text that it is elsewhere', () => {
    const picture = `data:image/png;base64,${'A'.repeat(5000)}`
    const asked = said([{ type: 'image_url', image_url: { url: picture }, url: picture }])

    expect(marksIn(asked)).toBe(2)
    expect(readChat(Buffer.from(asked))).toMatchObject({
      request: { images: 1, textBytes: 'user'.length + 'image_url'.length + picture.length },
    })
  })

  it('is what routes look at', () => {
    const read = readChat(Buffer.from(said(`the latest ${long}`)))

    expect('routedText' in read && read.routedText?.()).toBe(`the latest ${long}`.slice(0, 4096))
  })

  it('is read however many there are', () => {
    const texts = Array.from({ length: 120 }, (_, i) => ({ type: 'text', text: `${i} ${long}` }))
    const { outline, texts: left } = outlined(said(texts))

    expect(marksIn(said(texts))).toBe(120)
    expect(filled(outline, left)).toEqual({ messages: [{ role: 'user', content: texts }] })
  })

  it('is refused for any byte in it that the parser refuses, behind a backslash or not', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (const before of ['', '\\', '\\\\']) {
        const [start, end] = said(`${'x'.repeat(300)}|`).split('|')
        const bytes = Buffer.concat([Buffer.from(`${start}${before}`), Buffer.of(byte), Buffer.from(`${end}`)])

        expect([byte, 'denial' in outlineBody(bytes)]).toEqual([byte, !isUtf8(bytes) || !isJson(bytes.toString())])
      }
    }
  })

  it('is as large as its escapes say, and refused for half a character', () => {
    for (let code = 1; code < 0x10000; code++) {
      const hex = code.toString(16).padStart(4, '0')
      const each = String.fromCharCode(code)
      const read = outlineBody(
        Buffer.from(said(`${long}|`).replace('|', `\\u${code % 2 === 0 ? hex : hex.toUpperCase()}`)),
      )

      expect([hex, 'denial' in read ? undefined : read.texts.sizeOf('\u00000')]).toEqual([
        hex,
        each.isWellFormed() ? Buffer.byteLength(long + each) : undefined,
      ])
    }
  })

  it.each([
    ['both halves of a character', '\\ud83d\\ude00', 4],
    ['both halves, upper case', '\\uD83D\\uDE00', 4],
    ['the wrong half first', '\\ude00\\ud83d', undefined],
    ['two second halves', '\\ude00\\ude00', undefined],
    ['a half and something between', '\\ud83dx\\ude00', undefined],
    ['two first halves', '\\ud83d\\ud83d\\ude00', undefined],
    ['a character and half of one', '\\ud83d\\ude00\\ude00', undefined],
    ['a half and a short escape', '\\ud83d\\nde00', undefined],
    ['three digits', '\\u00e"', undefined],
    ['a letter that is no digit', '\\u00eg', undefined],
    ['a digit that is none', '\\u00:0', undefined],
  ])('may have %s', (_name, escapes, size) => {
    const read = outlineBody(Buffer.from(said(`${long}|`).replace('|', escapes)))

    expect('denial' in read ? undefined : read.texts.sizeOf('\u00000') - long.length).toBe(size)
  })

  it('is read however large the bodies before it were, and however long ago', () => {
    const large = 'é'.repeat(3_000_000)
    const sizeOf = (text: string) => outlined(said(text)).texts.sizeOf('\u00000')

    expect([long, large, long, large].map(sizeOf)).toEqual([long.length, 6_000_000, long.length, 6_000_000])
    for (let i = 0; i < 1010; i++) expect(sizeOf(long)).toBe(long.length)
    expect([large, long].map(sizeOf)).toEqual([6_000_000, long.length])
  })
})
