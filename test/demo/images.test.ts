import { crc32, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paint } from '../../demo/src/images/painter.ts'
import { countTokens } from '../../demo/src/tokens.ts'
import { type Listening, listen, post } from './support.ts'

const MODEL = 'black-forest-labs/FLUX.1-schnell'
let backend: Listening
beforeAll(async () => {
  backend = await listen({ images: [MODEL] })
})
afterAll(() => backend.close())

test.each([
  ['512x512', 512, 512],
  ['640x360', 640, 360],
  ['17x1024', 17, 1024],
  ['16x16', 16, 16],
  [undefined, 1024, 1024],
])('a picture of size %s is a sound PNG with every pixel as it was drawn', async (size, width, height) => {
  const { body } = await draw<Pictures>({ prompt: 'a lighthouse', size })

  const picture = decoded(body.data[0]?.b64_json)

  expect([picture.width, picture.height]).toEqual([width, height])
  expect(picture.pixels.equals(paint('a lighthouse', 0, { width, height }).pixels)).toBe(true)
})

test('the same prompt gives the same picture; another prompt, and another picture of one request, a different one', async () => {
  const { body: first } = await draw<Pictures>({ prompt: 'a lighthouse', n: 4, size: '64x64' })
  const { body: second } = await draw<Pictures>({ prompt: 'a lighthouse', n: 4, size: '64x64' })
  const { body: other } = await draw<Pictures>({ prompt: 'a windmill', size: '64x64' })

  expect(second).toEqual(first)
  expect(new Set([...first.data, ...other.data].map(picture => picture.b64_json)).size).toBe(5)
})

test('every picture says DEMO on a dark band', () => {
  // The four letters at their smallest, as the band of a picture of 16 pixels shows them.
  const { width, pixels } = paint('anything', 0, { width: 16, height: 16 })
  const white = (x: number, y: number) => pixels.subarray((y * width + x) * 3).at(0) === 255
  const rows = Array.from({ length: 5 }, (_, y) =>
    Array.from({ length: 16 }, (_, x) => (white(x, 9 + y) ? '#' : ' ')).join(''),
  )

  expect(rows).toEqual([
    ' ##  ### # #  # ',
    ' # # #   ### # #',
    ' # # ##  ### # #',
    ' # # #   # # # #',
    ' ##  ### # #  # ',
  ])
})

test('the answer carries what the specification lists, and a header says what really drew', async () => {
  const { response, body } = await draw<Pictures>({ prompt: 'a lighthouse', n: 2, size: '40x32' })

  expect(response.headers.get('x-demo-model')).toBe('a program that draws landscapes (no image model)')
  expect(body).toEqual({
    created: 1_700_000_000,
    data: [{ b64_json: expect.any(String) }, { b64_json: expect.any(String) }],
    usage: {
      input_tokens: countTokens('a lighthouse'),
      output_tokens: 2 * 3 * 2,
      total_tokens: countTokens('a lighthouse') + 12,
    },
  })
})

test.each<[string, object, number, string]>([
  ['no prompt', {}, 400, 'prompt'],
  ['an empty prompt', { prompt: '' }, 400, 'prompt'],
  ['a size that is none', { prompt: 'a', size: 'large' }, 400, 'size'],
  ['a size over 1024', { prompt: 'a', size: '1025x16' }, 400, 'size'],
  ['a size under 16', { prompt: 'a', size: '16x15' }, 400, 'size'],
  ['five pictures', { prompt: 'a', n: 5 }, 400, 'n'],
  ['a url', { prompt: 'a', response_format: 'url' }, 400, 'response_format'],
  ['a foreign model', { prompt: 'a', model: 'dall-e-3' }, 404, 'model'],
])('%s is refused in the form of OpenAI', async (_, request, status, param) => {
  const { response, body } = await draw(request)

  expect(response.status).toBe(status)
  expect(body).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param, code: expect.any(String) },
  })
})

interface Pictures {
  readonly data: readonly { b64_json: string }[]
}

const draw = <Body>(body: object): Promise<{ response: Response; body: Body }> =>
  post(`${backend.url}/images/generations`, { model: MODEL, ...body })

/** Reads a PNG by the book, and throws where it is not sound. */
function decoded(base64 = ''): { width: number; height: number; pixels: Buffer } {
  const chunks = chunksOf(Buffer.from(base64, 'base64'))
  expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'tEXt', 'IDAT', 'IEND'])
  const [header = Buffer.alloc(0), , data = Buffer.alloc(0)] = chunks.map(chunk => chunk.data)
  // Eight bits, RGB, deflate, the standard filters, not interlaced.
  expect([...header.subarray(8)]).toEqual([8, 2, 0, 0, 0])
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  return { width, height, pixels: unfiltered(inflateSync(data), width, height) }
}

function chunksOf(file: Buffer): { type: string; data: Buffer }[] {
  expect(file.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks: { type: string; data: Buffer }[] = []
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at)
    expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)))
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, end) })
    at = end + 4
  }
  return chunks
}

function unfiltered(bytes: Buffer, width: number, height: number): Buffer {
  const row = width * 3
  expect(bytes.length).toBe(height * (row + 1))
  const pixels = Buffer.alloc(height * row)
  for (let y = 0; y < height; y++) {
    if (bytes[y * (row + 1)] !== 1) throw new Error(`row ${y} has another filter than Sub`)
    for (let i = 0; i < row; i++) {
      const left = i < 3 ? 0 : (pixels[y * row + i - 3] ?? 0)
      pixels[y * row + i] = (bytes[y * (row + 1) + 1 + i] ?? 0) + left
    }
  }
  return pixels
}
