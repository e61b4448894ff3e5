import { expect, it } from 'vitest'
import { UNKNOWN } from '../../../src/policy/providers/profile.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'

const LONG = 'hm '.repeat(500)

function sent(message: object, thoughts: 'member' | 'parts') {
  const body = {
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', ...message },
    ],
  }
  const chat = readChat(Buffer.from(JSON.stringify(body)))
  if ('denial' in chat) throw new Error(JSON.stringify(chat.denial))
  return JSON.parse(chat.bodyFor('m', 9, { facts: { ...UNKNOWN, thoughts } }).toString()).messages[1]
}

const thought = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }], closed: true })
const said = (text: string) => ({ type: 'text', text })
const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }]

it.each([
  ['before a text', { reasoning_content: 'Hm.', content: 'Yes.' }, { content: [thought('Hm.'), said('Yes.')] }],
  ['under their other name', { reasoning: 'Hm.', content: 'Yes.' }, { content: [thought('Hm.'), said('Yes.')] }],
  [
    'once where they have both names',
    { reasoning: 'Hm.', reasoning_content: 'Hm.', content: '' },
    { content: [thought('Hm.')] },
  ],
  ['of any length', { reasoning_content: LONG, content: LONG }, { content: [thought(LONG), said(LONG)] }],
  [
    'before calls',
    { reasoning_content: 'Hm.', content: null, tool_calls: calls },
    { content: [thought('Hm.')], tool_calls: calls },
  ],
  [
    'before parts',
    { reasoning_content: 'Hm.', content: [said('A'), said('B')] },
    { content: [thought('Hm.'), said('A'), said('B')] },
  ],
  ['not at all where there are none', { reasoning_content: '', content: 'Yes.' }, { content: 'Yes.' }],
])('thoughts go to a backend that takes them as parts %s', (_name, message, expected) => {
  expect(sent(message, 'parts')).toEqual({ role: 'assistant', ...expected })
})

it('thoughts stay where they were at any other backend', () => {
  const message = { reasoning_content: 'Hm.', content: 'Yes.' }
  expect(sent(message, 'member')).toEqual({ role: 'assistant', ...message })
})
