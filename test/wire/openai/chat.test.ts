import { describe, expect, it } from 'vitest'
import { readChat } from '../../../src/wire/openai/chat.ts'

const user = { role: 'user', content: 'Hi' }
const read = (body: unknown) => readChat(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
const chat = (rest: object = {}) => {
  const result = read({ messages: [user], ...rest })
  if ('denial' in result) throw new Error(JSON.stringify(result))
  return result
}

describe('readChat', () => {
  it.each<[string, unknown, string]>([
    ['nothing', '', 'body'],
    ['text that is no JSON', '{"messages": [', 'body'],
    ['an array', [], 'body'],
    ['null', null, 'body'],
    ['a deeply nested body', `{"messages":${'['.repeat(100)}${']'.repeat(100)}}`, 'body'],
    ['no messages', {}, 'messages'],
    ['messages that are null', { messages: null }, 'messages'],
    ['messages that are text', { messages: 'Hi' }, 'messages'],
    ['no message', { messages: [] }, 'messages'],
    ['a message that is text', { messages: ['Hi'] }, 'messages[0]'],
    ['a message without a role', { messages: [{ content: 'Hi' }] }, 'messages[0].role'],
    ['an unknown role', { messages: [user, { role: 'robot', content: 'Hi' }] }, 'messages[1].role'],
    ['a user without content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['a user with null content', { messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    ['content that is a number', { messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
    ['a part without a type', { messages: [{ role: 'user', content: [{}] }] }, 'messages[0].content[0].type'],
    [
      'an audio part',
      { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      'messages[0].content[0].type',
    ],
    [
      'a text part without text',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'messages[0].content[0].text',
    ],
    [
      'an image that a backend would have to fetch',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.b/c.png' } }] }] },
      'messages[0].content[0].image_url.url',
    ],
    ['max_tokens as text', { messages: [user], max_tokens: '5' }, 'max_tokens'],
    ['max_tokens of zero', { messages: [user], max_tokens: 0 }, 'max_tokens'],
    ['max_tokens with a fraction', { messages: [user], max_tokens: 1.5 }, 'max_tokens'],
    ['two caps that differ', { messages: [user], max_tokens: 5, max_completion_tokens: 6 }, 'max_completion_tokens'],
    ['five choices', { messages: [user], n: 5 }, 'n'],
    ['stream as text', { messages: [user], stream: 'yes' }, 'stream'],
    ['a model that is a number', { messages: [user], model: 5 }, 'model'],
    ['temperature as text', { messages: [user], temperature: 'hot' }, 'temperature'],
    ['tools that are an object', { messages: [user], tools: {} }, 'tools'],
    ['a tool without a function', { messages: [user], tools: [{ type: 'function' }] }, 'tools[0].function'],
    [
      'a tool name with blanks',
      { messages: [user], tools: [{ type: 'function', function: { name: 'a b' } }] },
      'tools[0].function.name',
    ],
    ['a template', { messages: [user], chat_template_kwargs: { template: '{{x}}' } }, 'chat_template_kwargs.template'],
    [
      'thinking as text',
      { messages: [user], chat_template_kwargs: { enable_thinking: 'no' } },
      'chat_template_kwargs.enable_thinking',
    ],
    ['a parameter that multiplies the price', { messages: [user], best_of: 5 }, 'best_of'],
    ['a dearer service tier', { messages: [user], service_tier: 'priority' }, 'service_tier'],
    ['a place to send the request to', { messages: [user], api_base: 'http://evil' }, 'api_base'],
  ])('refuses %s and names the field', (_name, body, field) => {
    const result = read(body)

    expect('denial' in result && result.denial.code === 'VALIDATION_ERROR' ? result.denial.field : result).toBe(field)
  })

  it.each<[string, object]>([
    [
      'null for what is left out',
      { model: null, max_tokens: null, stream: null, n: null, tools: null, stop: null, temperature: null },
    ],
    ['parts of text', { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }],
    [
      'null content beside tool calls',
      {
        messages: [
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: '1', content: 'ok' },
        ],
      },
    ],
    ['two caps that agree', { max_tokens: 5, max_completion_tokens: 5 }],
    ['fields it does not know', { top_k: 4, metadata: { a: 1 } }],
    [
      'every role',
      { messages: ['system', 'developer', 'user', 'assistant', 'tool'].map(role => ({ role, content: 'x' })) },
    ],
  ])('takes %s', (_name, rest) => {
    expect(chat(rest)).not.toHaveProperty('denial')
  })

  it('counts the UTF-8 bytes of messages and tools, and images apart from text', () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(5000)}` } }
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const { request } = chat({ messages: [{ role: 'user', content: [{ type: 'text', text: 'é€' }, image] }], tools })

    expect(request).toMatchObject({
      messages: 1,
      images: 1,
      textBytes: 'user'.length + 'text'.length + 5 + 'image_url'.length + JSON.stringify(tools).length,
    })
  })

  it('knows nothing of the prompt but its size', () => {
    expect(JSON.stringify(chat({ messages: [{ role: 'user', content: 'the secret plan' }] }).request)).not.toContain(
      'secret',
    )
  })
})

describe('the body for a backend', () => {
  it("sends the pool's model, the granted cap and everything else untouched", () => {
    const body = { model: 'svc-core', temperature: 0.5, top_k: 4, user: 'u' }

    expect(JSON.parse(chat(body).bodyFor('backend-model', 77).toString())).toEqual({
      messages: [user],
      temperature: 0.5,
      top_k: 4,
      user: 'u',
      model: 'backend-model',
      max_tokens: 77,
    })
  })

  it('caps by the field the client used, and by no other', () => {
    expect(JSON.parse(chat({ max_completion_tokens: 9, max_tokens: 9 }).bodyFor('m', 9).toString())).toEqual({
      messages: [user],
      model: 'm',
      max_completion_tokens: 9,
    })
  })

  it('always asks for the usage of a stream', () => {
    expect(
      JSON.parse(
        chat({ stream: true, stream_options: { include_obfuscation: false } })
          .bodyFor('m', 9)
          .toString(),
      ).stream_options,
    ).toEqual({
      include_obfuscation: false,
      include_usage: true,
    })
  })

  it('lets no second spelling of model through', () => {
    const twice = read('{"mod\\u0065l":"svc-core","model":"svc-ultra-pro","messages":[{"role":"user","content":"Hi"}]}')

    if ('denial' in twice) throw new Error('refused')
    expect(twice.bodyFor('m', 9).toString().match(/"mod/g)).toHaveLength(1)
  })
})
