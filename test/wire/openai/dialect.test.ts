import { describe, expect, it } from 'vitest'
import type { StreamTranslator } from '../../../src/wire/dialect.ts'
import { openai } from '../../../src/wire/openai/dialect.ts'
import { StreamReader } from '../../../src/wire/openai/stream.ts'

describe('a list of models', () => {
  const models = (list: unknown) => openai.models(Buffer.from(JSON.stringify(list)))

  it('names each of them, with the tokens that it takes where the list says so', () => {
    expect(
      models({
        data: [
          { id: 'a', max_model_len: 8192 },
          { id: 'b', max_model_len: 'many' },
          { id: 'llama.cpp', meta: { n_ctx_train: 131_072, n_ctx: 4096 } },
          { id: 'LiteLLM', max_input_tokens: 200_000 },
        ],
      }),
    ).toEqual([
      { id: 'a', context: 8192 },
      { id: 'b' },
      { id: 'llama.cpp', context: 4096 },
      { id: 'LiteLLM', context: 200_000 },
    ])
  })

  it.each([['{}'], ['[]'], ['{"data":{}}'], ['not JSON']])('is none in %s', body => {
    expect(openai.models(Buffer.from(body))).toBeUndefined()
  })

  it('is none where it is one page of several: a model that is missing there may be on another', () => {
    expect(models({ data: [{ id: 'a' }], has_more: true })).toBeUndefined()
  })
})

describe('a stream of another form, read through a translator', () => {
  /** A format with one word per line. */
  class Lines implements StreamTranslator {
    readonly held = 0
    readonly strayLines = 0
    #rest = ''

    push(bytes: Buffer): Buffer {
      const lines = (this.#rest + bytes.toString('latin1')).split('\n')
      this.#rest = lines.pop() ?? ''
      return Buffer.from(lines.map(word => event({ content: word })).join(''))
    }

    end(): Buffer {
      return Buffer.from(`${event({ content: this.#rest })}${event({}, 'stop')}data: [DONE]\n\n`)
    }
  }

  const event = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'i', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

  const TEXT = Buffer.from('one\ntwo\nthree')

  it.each(Array.from({ length: TEXT.length + 1 }, (_, at) => [at]))('says the same wherever it was cut: %i', at => {
    const terms = { model: 'm', usageWanted: false, id: 'i', created: 1 }
    const reader = new StreamReader(terms, 1, new Lines())
    const readings = [reader.read(TEXT.subarray(0, at)), reader.read(TEXT.subarray(at)), reader.end()]

    expect(readings.map(({ events }) => events).join('')).toBe(
      event({ role: 'assistant', content: 'one' }) +
        ['two', 'three'].map(content => event({ content })).join('') +
        event({}, 'stop'),
    )
    expect(readings.at(-1)?.stop).toEqual({ kind: 'done' })
    expect(reader).toMatchObject({ outputBytes: 11, finished: true })
  })
})
