import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SseSplitter, sseEvent } from '../../src/wire/sse.ts'

const split = (...pieces: (string | Buffer)[]): string[] => {
  const splitter = new SseSplitter()
  const events = pieces.flatMap(piece => splitter.push(Buffer.from(piece)))
  return [...events, ...splitter.end()]
}

describe('SseSplitter', () => {
  it.each([
    ['one event', ['data: a\n\n'], ['a']],
    ['CRLF', ['data: a\r\n\r\n'], ['a']],
    ['CR', ['data: a\r\r'], ['a']],
    ['a CRLF cut in two', ['data: a\r', '\n\r', '\ndata: b\n\n'], ['a', 'b']],
    ['no blank after the colon', ['data:a\n\n'], ['a']],
    ['only one blank is taken', ['data:  a\n\n'], [' a']],
    ['data over two lines', ['data: a\ndata: b\n\n'], ['a\nb']],
    ['an empty data line', ['data\n\n'], ['']],
    ['comments and other fields', [': hi\nevent: x\nid: 1\ndata: a\n\n'], ['a']],
    ['blank lines between', ['\n\ndata: a\n\n\n\ndata: b\n\n'], ['a', 'b']],
    ['a byte order mark', ['\uFEFFdata: a\n\n'], ['a']],
    ['an end without its blank line', ['data: a\n'], ['a']],
    ['an end in the middle of a line', ['data: a'], ['a']],
    ['nothing', [''], []],
  ])('reads %s', (_name, pieces, events) => {
    expect(split(...pieces)).toEqual(events)
  })

  it('gives the same events wherever the bytes are cut', () => {
    const line = fc.constantFrom('data: x', 'data: añ€😀', 'data:', ': c', 'event: e', '', 'data', 'nonsense')
    const ending = fc.constantFrom('\n', '\r\n', '\r')
    const text = fc.array(fc.tuple(line, ending), { maxLength: 20 }).map(lines => lines.flat().join(''))
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (source, cuts) => {
        const bytes = Buffer.from(source)
        const places = [0, ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        const pieces = places.slice(1).map((end, i) => bytes.subarray(places[i], end))

        expect(split(...pieces)).toEqual(split(bytes))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['a line without end', Array.from({ length: 3 }, () => 'a'.repeat(8_000_000))],
    ['an event in one piece', [`data: ${'a'.repeat(17_000_000)}\n\n`]],
    ['the same in many', `data: ${'a'.repeat(17_000_000)}\n\n`.match(/[\s\S]{1,65536}/g) ?? []],
    ['many data lines without a colon', Array.from({ length: 45 }, () => 'data\n'.repeat(100_000))],
    ['a comment without end', Array.from({ length: 30 }, () => `: ${'c'.repeat(600_000)}`)],
  ])('gives up at 16 MiB: %s', (_name, pieces) => {
    const splitter = new SseSplitter()

    const events = ['data: before\n\n', ...pieces].flatMap(piece => splitter.push(Buffer.from(piece)))

    expect(splitter.tooLong).toBe(true)
    expect(events).toEqual(['before'])
  })

  it('reads an event of nearly 16 MiB, and any number of comments', () => {
    const splitter = new SseSplitter()
    const data = 'a'.repeat(16_770_000)

    const comments = Array.from({ length: 100 }, () => splitter.push(Buffer.from(`: ${'c'.repeat(50_000)}\n`)))
    const events = splitter.push(Buffer.from(`data: ${data}\n\n`))

    expect([splitter.tooLong, ...comments.flat()]).toEqual([false])
    expect(events).toEqual([data])
  })
})

it('an event with line breaks in its data is read back whole', () => {
  expect(split(sseEvent('a\nb'), sseEvent('c'))).toEqual(['a\nb', 'c'])
})
