import { describe, expect, it } from 'vitest'
import type { EmbeddingModel } from '../../../src/policy/config.ts'
import { readEmbeddings } from '../../../src/wire/openai/embeddings.ts'

const model = { kind: 'embedding', name: 'svc-embed', dimensions: 4 } as EmbeddingModel
const terms = { model, backendModel: 'bge', inputTokens: 77, id: 'x', created: 1 }
const read = (body: unknown) => readEmbeddings(Buffer.from(JSON.stringify(body)), 3)
const request = (rest: object) => {
  const result = read({ model: 'svc-embed', input: 'Hi', ...rest })
  if ('denial' in result) throw new Error(JSON.stringify(result))
  return result
}

/** 4 little-endian float32. */
const base64 = (...numbers: number[]): string => Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
const item = (index: number, embedding: unknown) => ({ object: 'embedding', index, embedding })
const backend = (data: unknown, usage: unknown = { prompt_tokens: 5, total_tokens: 5 }) =>
  Buffer.from(JSON.stringify({ object: 'list', data, model: 'bge', usage }))
const answered = (rest: object, bytes: Buffer) => {
  const answer = request(rest).readAnswer(bytes, terms)
  return answer && JSON.parse(answer.bytes.toString())
}

describe('readEmbeddings', () => {
  it.each<[string, unknown, string]>([
    ['no model', { input: 'Hi' }, 'model'],
    ['no input', { model: 'm' }, 'input'],
    ['an empty text', { model: 'm', input: '' }, 'input'],
    ['an empty batch', { model: 'm', input: [] }, 'input'],
    ['an empty text in a batch', { model: 'm', input: ['a', ''] }, 'input[1]'],
    ['a number', { model: 'm', input: 7 }, 'input'],
    ['a batch over the limit', { model: 'm', input: ['a', 'b', 'c', 'd'] }, 'input'],
    ['an unknown encoding', { model: 'm', input: 'a', encoding_format: 'int8' }, 'encoding_format'],
    ['dimensions as text', { model: 'm', input: 'a', dimensions: '768' }, 'dimensions'],
  ])('refuses %s and names the field', (_name, body, field) => {
    const result = read(body)

    expect('denial' in result && result.denial.code === 'VALIDATION_ERROR' ? result.denial.field : result).toBe(field)
  })

  it.each([
    [[1, 2, 3], 1],
    [[[1, 2], [3]], 2],
  ])('token ids %j weigh a token each', (input, inputs) => {
    expect(read({ model: 'm', input })).toMatchObject({ request: { tokenIds: true, inputs, textBytes: 3 } })
  })

  it('counts bytes and inputs, and keeps no text', () => {
    const { request: ask } = request({ input: ['é', 'abc'] })

    expect(ask).toEqual({ kind: 'embedding', model: 'svc-embed', textBytes: 5, inputs: 2 })
  })

  it('counts the bytes of long texts as of others', () => {
    const long = 'é "quoted"\n'.repeat(100)

    expect(request({ input: [long, 'abc'] }).request).toMatchObject({
      textBytes: Buffer.byteLength(long) + 3,
      inputs: 2,
    })
    expect(request({ input: long }).request).toMatchObject({ textBytes: Buffer.byteLength(long), inputs: 1 })
  })

  it("sends the backend the client's bytes but for the model, where they mean one thing", () => {
    const sent = (text: string) => {
      const result = readEmbeddings(Buffer.from(text), 3)
      return 'denial' in result ? result : result.bodyFor('b"ge', 0).toString()
    }

    expect(sent('{ "input" : ["\\u00e9\\/",  "b"], "model":"m" , "user":null}')).toBe(
      '{ "input" : ["\\u00e9\\/",  "b"], "model":"b\\"ge", "user":null}',
    )
    expect(sent('{"model":"a","input":"x","model":"b"}')).toBe('{"input":"x","model":"b\\"ge"}')
    expect(sent('{"mod\\u0065l":"a","input":"x"}')).toBe('{"input":"x","model":"b\\"ge"}')
  })

  it('sends the backend its own name, the encoding asked for, and no dimensions', () => {
    expect(JSON.parse(request({ encoding_format: 'base64', dimensions: 4 }).bodyFor('bge', 0).toString())).toEqual({
      model: 'bge',
      input: 'Hi',
      encoding_format: 'base64',
    })
  })
})

describe('the answer', () => {
  const floats = [1, -0.5, 0.25, 0]

  it.each<[string, object, unknown, unknown]>([
    ['numbers when nothing was said', {}, floats, floats],
    ['numbers when numbers were asked for', { encoding_format: 'float' }, floats, floats],
    ['numbers made of base64', { encoding_format: 'float' }, base64(...floats), floats],
    ['base64 when it was asked for', { encoding_format: 'base64' }, base64(...floats), base64(...floats)],
    ['base64 made of numbers', { encoding_format: 'base64' }, floats, base64(...floats)],
  ])('is %s', (_name, rest, sent, expected) => {
    expect(answered(rest, backend([item(0, sent)]))).toEqual({
      object: 'list',
      data: [item(0, expected)],
      model: 'svc-embed',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    })
  })

  it('has the numbers as the backend wrote them', () => {
    const data = '[ {"object":"embedding", "index":0,"embedding":[1.0,-5e-1,0.25,0]}]'
    const bytes = Buffer.from(`{"model":"bge","data":${data},"usage":{"prompt_tokens":5},"id":"e"}`)

    expect(request({}).readAnswer(bytes, terms)?.bytes.toString()).toBe(
      `{"object":"list","data":${data},"model":"svc-embed","usage":{"prompt_tokens":5,"total_tokens":5}}`,
    )
  })

  it.each([
    ['another name in an item', '[{"object":"embedding","index":0,"embedding":[1,2,3,4],"host":"10.0.0.1"}]'],
    ['a name twice in an item', '[{"object":"embedding","index":0,"embedding":[9],"embedding":[1,2,3,4]}]'],
    ['another object', '[{"object":"vector","index":0,"embedding":[1,2,3,4]}]'],
    ['an escaped name before its list', '[]', '"d\\u0061ta":[{"object":"embedding","index":0,"embedding":[1,2,3,4]}]'],
    [
      'a second list',
      '[{"object":"embedding","index":0,"embedding":[1,2]}]',
      '"data":[{"object":"embedding","index":0,"embedding":[1,2,3,4]}]',
    ],
    ['what is not ASCII', '[{"object":"embedding","index":0,"embedding":[1,2,3,4]}]', '"é":1'],
  ])('is written anew where a backend sends %s', (_name, data, more = '"id":1') => {
    const bytes = Buffer.from(`{"data":${data},${more},"usage":{"prompt_tokens":5}}`)

    expect(request({}).readAnswer(bytes, terms)?.bytes.toString()).toBe(
      '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1,2,3,4]}],"model":"svc-embed","usage":{"prompt_tokens":5,"total_tokens":5}}',
    )
  })

  it.each([1022, 1023, 1024])(
    'has nothing of what a backend sends behind its list, with %i members before it',
    count => {
      const before = Array.from({ length: count }, (_, i) => `"k${i}":0,`).join('')
      const list = '"data":[{"object":"embedding","index":0,"embedding":[1,2,3,4]}]'
      const bytes = Buffer.from(`{${before}${list},"secret":"X","model":"bge","usage":{"prompt_tokens":5}}`)

      expect(request({}).readAnswer(bytes, terms)?.bytes.toString()).toBe(
        `{"object":"list",${list},"model":"svc-embed","usage":{"prompt_tokens":5,"total_tokens":5}}`,
      )
    },
  )

  it('is in the order of the inputs, whatever order the backend chose', () => {
    const data = [item(1, [1, 1, 1, 1]), item(0, floats)]

    expect(answered({ input: ['a', 'b'] }, backend(data)).data).toEqual([item(0, floats), item(1, [1, 1, 1, 1])])
  })

  it('shows what was held when the backend reports no usage', () => {
    expect(answered({}, backend([item(0, floats)], null)).usage).toEqual({ prompt_tokens: 77, total_tokens: 77 })
  })

  it.each<[string, object, unknown]>([
    ['too few', { input: ['a', 'b'] }, [item(0, floats)]],
    ['too many', {}, [item(0, floats), item(1, floats)]],
    ['one index twice', { input: ['a', 'b'] }, [item(0, floats), item(0, floats)]],
    ['two other lengths', { input: ['a', 'b'] }, [item(0, [1, 2, 3]), item(1, [1, 2])]],
    ['text for numbers', {}, [item(0, ['1', 2, 3, 4])]],
    ['null for a number', {}, [item(0, [null, 2, 3, 4])]],
    ['a NaN in base64', {}, [item(0, base64(Number.NaN, 2, 3, 4))]],
    ['no list', {}, { 0: floats }],
  ])('with %s is no answer', (_name, rest, data) => {
    expect(answered(rest, backend(data))).toBeUndefined()
  })

  it.each([
    ['numbers', [1, 2, 3]],
    ['base64', base64(1, 2, 3)],
  ])('with another length throws both, where it comes as %s', (_form, vector) => {
    expect(() => answered({}, backend([item(0, vector)]))).toThrow('vectors of 3 dimensions in place of 4')
  })
})
