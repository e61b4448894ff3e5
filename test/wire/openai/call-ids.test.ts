import { expect, it } from 'vitest'
import { UNKNOWN } from '../../../src/policy/providers/profile.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const CHAT = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call('call_PTLP8xhu3uwZk4l3'), call('D681PevKs')] },
    { role: 'tool', tool_call_id: 'call_PTLP8xhu3uwZk4l3', content: 'x'.repeat(500) },
    { role: 'tool', tool_call_id: 'D681PevKs', content: 'y' },
  ],
}

function sent(callIds: 'any' | 'nine_alphanumeric') {
  const chat = readChat(Buffer.from(JSON.stringify(CHAT)))
  if ('denial' in chat) throw new Error(JSON.stringify(chat.denial))
  return JSON.parse(chat.bodyFor('m', 9, { facts: { ...UNKNOWN, callIds } }).toString())
}

it('ids of calls that other models made are nine letters and digits where the backend wants that, calls and results alike', () => {
  const { messages } = sent('nine_alphanumeric')
  const [first, second] = messages[1].tool_calls.map(({ id }: { id: string }) => id)

  expect(first).toMatch(/^[A-Za-z0-9]{9}$/)
  expect(messages.slice(2).map((each: { tool_call_id: string }) => each.tool_call_id)).toEqual([first, second])
  expect(second).toBe('D681PevKs')
  expect(messages[2].content).toBe('x'.repeat(500))
  expect(sent('nine_alphanumeric').messages).toEqual(messages)
})

it('ids stay as they are at any other backend', () => {
  expect(sent('any').messages).toEqual(CHAT.messages)
})
