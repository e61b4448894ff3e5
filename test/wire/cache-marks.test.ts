import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/wire/json-safety.ts'
import { messagesOfChat } from '../../src/wire/messages/request-of-chat.ts'

const MARK = { cache_control: { type: 'ephemeral' } }
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, parameters: {} }, ...more })
const translated = (chat: JsonObject) => messagesOfChat({ model: 'claude-sonnet-4-6', max_tokens: 10, ...chat })
const said = (...messages: readonly object[]) => translated({ messages })

describe('a mark for a cache', () => {
  it('of a part stands at its block, also in the system prompt', () => {
    const { system, messages } = said(
      { role: 'system', content: [{ type: 'text', text: 'Long.', ...MARK }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a', ...HOUR },
          { type: 'text', text: 'b' },
        ],
      },
    )
    expect(system).toEqual([{ type: 'text', text: 'Long.', ...MARK }])
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a', ...HOUR },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  it('of a message stands at its last block that may have one', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const { system, messages } = said(
      { role: 'system', content: 'Long.', ...MARK },
      { role: 'system', content: 'More.' },
      { role: 'user', content: 'Look.', ...MARK },
      { role: 'assistant', content: 'Yes.', thinking_blocks: [thought], tool_calls: [call], ...MARK },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'Nothing.', ...MARK }] },
    )
    expect(system).toEqual([
      { type: 'text', text: 'Long.', ...MARK },
      { type: 'text', text: 'More.' },
    ])
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look.', ...MARK }] },
      {
        role: 'assistant',
        content: [
          thought,
          { type: 'text', text: 'Yes.' },
          { type: 'tool_use', id: 'c1', name: 'look', input: {}, ...MARK },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'Nothing.', ...MARK }] },
    ])
  })

  it('of a tool, or of its function, stands at the tool', () => {
    const marked = tool('b')
    const tools = [tool('a', MARK), { ...marked, function: { ...marked.function, ...MARK } }, tool('c')]
    const sent = translated({ messages: [{ role: 'user', content: 'Hi' }], tools }).tools as JsonObject[]
    expect(sent.map(({ cache_control }) => cache_control)).toEqual([MARK.cache_control, MARK.cache_control, undefined])
  })

  it.each([
    ['a text', 'ephemeral'],
    ['of another type', { type: 'persistent' }],
    ['null', null],
    ['a list', []],
  ])('that is %s is none', (_name, cache_control) => {
    expect(said({ role: 'user', content: 'Hi', cache_control }).messages).toEqual([{ role: 'user', content: 'Hi' }])
  })

  it('says nothing but its type and its time', () => {
    const cache_control = { type: 'ephemeral', ttl: '2h', scope: 'org' }
    expect(said({ role: 'user', content: 'Hi', cache_control }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...MARK }] },
    ])
  })

  it('is sent four times at most: the last ones stay, whatever is marked', () => {
    const holder = fc.record({ isMarked: fc.boolean(), role: fc.constantFrom('user', 'assistant', 'system') })
    fc.assert(
      fc.property(fc.array(holder, { maxLength: 12 }), fc.array(fc.boolean(), { maxLength: 4 }), (turns, tools) => {
        const chat = {
          messages: turns.map(({ isMarked, role }, at) => ({ role, content: `m${at}`, ...(isMarked && MARK) })),
          tools: tools.map((isMarked, at) => tool(`t${at}`, isMarked ? MARK : {})),
        }
        const sent = JSON.stringify(translated(chat))
        const wanted = [
          ...tools.map((isMarked, at) => (isMarked ? `t${at}` : '')),
          ...turns.map(({ isMarked }, at) => (isMarked ? `m${at}` : '')),
        ].filter(Boolean)

        expect(sent.match(/"cache_control"/g)?.length ?? 0).toBe(Math.min(4, wanted.length))
      }),
    )
  })
})
