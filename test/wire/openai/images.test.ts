import { describe, expect, it } from 'vitest'
import type { ImageModel } from '../../../src/policy/config.ts'
import { readImages } from '../../../src/wire/openai/images.ts'

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).toString('base64')
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0]).toString('base64')
const terms = {
  model: { kind: 'image', name: 'svc-image' } as ImageModel,
  backendModel: 'flux',
  inputTokens: 9,
  id: 'x',
  created: 123,
}

const read = (body: unknown) => readImages(Buffer.from(JSON.stringify(body)))
const request = (rest: object = {}) => {
  const result = read({ model: 'svc-image', prompt: 'a cat', ...rest })
  if ('denial' in result) throw new Error(JSON.stringify(result))
  return result
}
const answered = (rest: object, body: unknown) => request(rest).readAnswer(Buffer.from(JSON.stringify(body)), terms)

describe('readImages', () => {
  it.each<[string, object, string]>([
    ['no prompt', { prompt: undefined }, 'prompt'],
    ['an empty prompt', { prompt: '' }, 'prompt'],
    ['five images', { n: 5 }, 'n'],
    ['a size in words', { size: 'large' }, 'size'],
    ['a size that is a number', { size: 512 }, 'size'],
    ['a dearer quality', { quality: 'hd' }, 'quality'],
    ['a stream', { stream: true }, 'stream'],
  ])('refuses %s and names the field', (_name, rest, field) => {
    const result = read({ model: 'svc-image', prompt: 'a cat', ...rest })

    expect('denial' in result && result.denial.code === 'VALIDATION_ERROR' ? result.denial.field : result).toBe(field)
  })

  it('takes values that say what is done anyway, and does not trouble the backend with them', () => {
    const said = { quality: 'standard', style: 'vivid', background: 'auto', output_format: 'png', stream: false }

    expect(Object.keys(JSON.parse(request(said).bodyFor('flux', 0, { imageSize: '512x512' }).toString()))).toEqual([
      'model',
      'prompt',
      'n',
      'size',
      'response_format',
    ])
  })

  it('asks the backend for one PNG of the size decided on, in base64', () => {
    expect(JSON.parse(request().bodyFor('flux', 0, { imageSize: '512x512' }).toString())).toEqual({
      model: 'flux',
      prompt: 'a cat',
      n: 1,
      size: '512x512',
      response_format: 'b64_json',
    })
  })
})

describe('the answer', () => {
  const usage = { input_tokens: 3, output_tokens: 40, total_tokens: 43 }

  it('is the pictures and their usage, and nothing else of the backend', () => {
    const answer = answered(
      { n: 2 },
      { created: 5, data: [{ b64_json: PNG, url: null }, { b64_json: PNG }], usage, seed: 1 },
    )

    expect(JSON.parse(answer?.bytes.toString() ?? '')).toEqual({
      created: 5,
      data: [{ b64_json: PNG }, { b64_json: PNG }],
      // OpenAI's schema requires the details.
      usage: { ...usage, input_tokens_details: { text_tokens: usage.input_tokens, image_tokens: 0 } },
    })
    expect(answer).toMatchObject({ items: 2, usage: { inputTokens: 3, outputTokens: 40 } })
  })

  it('has a usage even if the backend reports none, and is then an estimate', () => {
    const answer = answered({}, { data: [{ b64_json: PNG }] })

    expect(JSON.parse(answer?.bytes.toString() ?? '')).toMatchObject({
      created: 123,
      usage: { input_tokens: 2, output_tokens: 0, total_tokens: 2 },
    })
    expect(answer?.usage).toBeUndefined()
  })

  const other = PNG.replace('A', 'B')
  it.each<[string, string, string]>([
    ['slashes that are escaped', `{"data":[{"b64_json":"${PNG}\\/+"}]}`, `${PNG}/+`],
    ['a name that is escaped', `{"d\\u0061ta":[{"b64_json":"${PNG}"}]}`, PNG],
    ['a name of a picture that is escaped', `{"data":[{"b64\\u005fjson":"${PNG}"}]}`, PNG],
    ['pictures twice', `{"data":[{"b64_json":"${other}"}],"data":[{"b64_json":"${PNG}"}]}`, PNG],
    ['a picture twice', `{"data":[{"b64_json":"${other}","b64_json":"${PNG}"}]}`, PNG],
    ['blanks', `{ "data" : [ { "b64_json" : "${PNG}" } ] , "usage" : null }`, PNG],
  ])('with %s is what a parser reads', (_name, text, picture) => {
    const answer = request().readAnswer(Buffer.from(text), terms)

    expect(JSON.parse(answer?.bytes.toString() ?? '').data).toEqual([{ b64_json: picture }])
  })

  it.each(['{"data":[{"b64_json":"', `{"data":[{"b64_json":"${PNG}"}]}]`, `{"data":[{"b64_json":"${PNG}\n"}]}`, '[]'])(
    'is none where no parser reads it: %j',
    text => {
      expect(request().readAnswer(Buffer.from(text), terms)).toBeUndefined()
    },
  )

  it.each<[string, object, unknown]>([
    ['too few pictures', { n: 2 }, { data: [{ b64_json: PNG }] }],
    ['too many', {}, { data: [{ b64_json: PNG }, { b64_json: PNG }] }],
    ['a JPEG', {}, { data: [{ b64_json: JPEG }] }],
    ['a URL', {}, { data: [{ url: 'https://x/y.png' }] }],
    ['no data', {}, { created: 5 }],
  ])('with %s is no answer', (_name, rest, body) => {
    expect(answered(rest, body)).toBeUndefined()
  })
})
