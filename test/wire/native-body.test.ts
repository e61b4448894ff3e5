import { describe, expect, it } from 'vitest'
import { readClientRequest } from '../../src/wire/client-request.ts'
import { parseDialect } from '../../src/wire/openai/body.ts'
import { sealReasoning } from '../../src/wire/reasoning/sealed-reasoning.ts'

const terms = {
  names: { brand: 'svc', declared: new Map() },
  declared: new Map(),
  thinks: () => false,
  isHosted: () => false,
  spoken: new Set(['messages', 'responses']),
  passed: new Set<string>(),
}

/** The body of an untranslated request as a backend receives it. */
function nativeBody(dialect: 'responses' | 'messages', text: string): string {
  const parsed = parseDialect(Buffer.from(text))
  if ('denial' in parsed) throw new Error('denied')
  const request = readClientRequest(dialect, parsed, terms)
  if ('denial' in request) throw new Error('denied')
  return String(request.spoken?.own?.nativeBody('pool-model', 50))
}

const sealed = sealReasoning('Hm.')

describe('a request that goes as it came', () => {
  it('keeps every byte but those of model, cap, store and stream', () => {
    const body = (model: string, cap: number, store: boolean) =>
      `{"model":"${model}", "max_output_tokens":${cap},"input":[{"type":"reasoning","encrypted_content":"gAAA"} ,{"role":"user","content":"x"}],"store":${store},"stream":true}`

    expect(nativeBody('responses', body('svc-core', 100, true))).toBe(body('pool-model', 50, false))
  })

  it('says to backends of Responses that its answer is wanted whole: some stream unless they are told', () => {
    const sent = nativeBody('responses', '{"model":"svc-core","input":"x"}')

    expect(JSON.parse(sent)).toMatchObject({ input: 'x', stream: false })
  })

  it('leaves out reasoning of Responses that was sealed here, which no backend can read', () => {
    const input = [
      { role: 'user', content: 'x' },
      { type: 'reasoning', summary: [], encrypted_content: sealed },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
      { role: 'assistant', content: 'y' },
    ]

    expect(JSON.parse(nativeBody('responses', JSON.stringify({ model: 'm', input }))).input).toEqual(
      input.filter(item => item.encrypted_content !== sealed),
    )
  })

  it('leaves out reasoning of Responses that is there by its id alone, which a backend would look up', () => {
    const input = [
      { role: 'user', content: 'x' },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { role: 'assistant', content: 'y' },
    ]

    expect(JSON.parse(nativeBody('responses', JSON.stringify({ model: 'm', input }))).input).toEqual(
      input.filter(item => item.id !== 'rs_1'),
    )
  })

  it('leaves out thinking of Messages that was sealed here, and messages of nothing else', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: sealed }
    const foreign = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
    const text = { type: 'text', text: 'y' }
    const user = { role: 'user', content: 'x' }
    const messages = [
      user,
      { role: 'assistant', content: [thinking, text] },
      user,
      { role: 'assistant', content: [thinking] },
      { role: 'assistant', content: [foreign, text] },
      user,
    ]

    expect(
      JSON.parse(nativeBody('messages', JSON.stringify({ model: 'm', max_tokens: 9, messages }))).messages,
    ).toEqual([
      user,
      { role: 'assistant', content: [text] },
      user,
      { role: 'assistant', content: [foreign, text] },
      user,
    ])
  })

  it('gives a backend of Messages back what one of them signed', () => {
    const signed = [{ type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }] as const
    const hidden = { type: 'thinking', thinking: '', signature: sealReasoning('Hm.', signed) }
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [hidden, { type: 'text', text: 'y' }] },
    ]

    const body = nativeBody('messages', JSON.stringify({ model: 'm', max_tokens: 9, messages }))
    expect(JSON.parse(body).messages[1].content).toEqual([...signed, { type: 'text', text: 'y' }])
  })
})
