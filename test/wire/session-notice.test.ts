import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DialectName } from '../../src/policy/backend-dialects.ts'
import { withNotice, withThinkingWithin } from '../../src/wire/session-notice.ts'

const NOTICE = '[Notice]'
const noticed = (dialect: DialectName, body: unknown) =>
  JSON.parse(withNotice(dialect, Buffer.from(JSON.stringify(body)), NOTICE).toString())

describe('a notice to the model', () => {
  it.each<[DialectName, object, object]>([
    ['chat', { role: 'user', content: 'Hi' }, { role: 'user', content: `Hi\n\n${NOTICE}` }],
    [
      'chat',
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_1', content: `sunny\n\n${NOTICE}` },
    ],
    [
      'messages',
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', cache_control: { type: 'ephemeral' } }],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: NOTICE },
        ],
      },
    ],
    ['messages', { role: 'assistant', content: '{' }, { role: 'assistant', content: '{' }],
  ])('follows the last message of %s: %j', (dialect, last, after) => {
    const first = { role: 'user', content: 'a "messages": [ }' }
    expect(noticed(dialect, { messages: [first, last], stream: true })).toEqual({
      messages: [first, after],
      stream: true,
    })
  })

  it('is an item of its own behind a result of Responses, and a part of a text', () => {
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'sunny' }
    const own = { type: 'message', role: 'user', content: [{ type: 'input_text', text: NOTICE }] }
    expect(noticed('responses', { input: [output] })).toEqual({ input: [output, own] })
    expect(noticed('responses', { input: 'Hi' })).toEqual({ input: `Hi\n\n${NOTICE}` })
  })

  it('leaves every byte before the last message as it is', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), fc.array(fc.string()), (tools, text, earlier) => {
        const before = `{ "tools": ${tools},\n "n": 1.0, "messages" : [${earlier.map(each => `${JSON.stringify({ role: 'user', content: each })} ,`).join('')}`
        const body = Buffer.from(
          `${before}${JSON.stringify({ role: 'user', content: text })} ], "seed": 12345678901234567890 }`,
        )
        const after = withNotice('chat', body, NOTICE).toString()
        expect(after.startsWith(before)).toBe(true)
        expect(after.endsWith(' ], "seed": 12345678901234567890 }')).toBe(true)
        expect(JSON.parse(after).messages.at(-1).content).toBe(text === '' ? NOTICE : `${text}\n\n${NOTICE}`)
      }),
    )
  })
})

it('thinking in a last turn leaves room for an answer within its cap', () => {
  const within = (thinking: object, cap: number) =>
    JSON.parse(withThinkingWithin(Buffer.from(JSON.stringify({ thinking, max_tokens: cap })), cap).toString()).thinking
  expect(within({ type: 'enabled', budget_tokens: 10_000 }, 2000)).toEqual({ type: 'enabled', budget_tokens: 1024 })
  expect(within({ type: 'enabled', budget_tokens: 10_000 }, 800)).toEqual({ type: 'disabled' })
  expect(within({ type: 'enabled', budget_tokens: 1500 }, 2000)).toEqual({ type: 'enabled', budget_tokens: 1500 })
  expect(within({ type: 'adaptive' }, 800)).toEqual({ type: 'adaptive' })
})
