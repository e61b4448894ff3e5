import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventsAtMost, whole } from '../../../src/adapters/tools/limits.ts'

const MIB = 1024 * 1024

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function through(text: string, size = 65_536): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of eventsAtMost(inChunks(text, size))) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe.each([
  ['LF', '\n'],
  ['CR', '\r'],
  ['CR LF', '\r\n'],
])('with lines that end in %s', (_, end) => {
  const line = `data: ${'x'.repeat(1000)}${end}`

  it('a stream of any length passes, of which no event is longer than 1 MiB', async () => {
    const stream = `${line.repeat(500)}${end}`.repeat(6)
    expect(await through(stream)).toBe(stream)
  })

  it('an event of many lines longer than 1 MiB does not', async () => {
    await expect(through(line.repeat(1100))).rejects.toThrow('more than 1 MiB')
  })

  it('events are found wherever the chunks end', async () => {
    const stream = `${line.repeat(60)}${end}`.repeat(20)
    for (const size of [7, 1009]) expect(await through(stream, size)).toBe(stream)
  })
})

it('a body of 1 MiB is read, one byte more is not', async () => {
  expect(await whole(inChunks('x'.repeat(MIB), 4096))).toHaveLength(MIB)
  await expect(whole(inChunks('x'.repeat(MIB + 1), 4096))).rejects.toThrow('more than 1 MiB')
})

it('characters that are cut by chunks are whole again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 5 }), async (text, size) => {
      expect(await whole(inChunks(text, size))).toBe(text)
    }),
  )
})
