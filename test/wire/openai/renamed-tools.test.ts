import { describe, expect, it } from 'vitest'
import { readChat } from '../../../src/wire/openai/chat.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
})
const WRITER = { requestId: 'req_1', created: 0, model: 'm', inputTokens: 1, newId: () => 'x' }

function read(body: object, names?: Parameters<typeof readChat>[1]) {
  const chat = readChat(Buffer.from(JSON.stringify({ messages, ...body })), names)
  if ('denial' in chat) throw new Error(JSON.stringify(chat.denial))
  return chat
}

const sent = (body: object) => JSON.parse(read(body).bodyFor('m', 9).toString())
const writerOf = (body: object) => read(body).spoken?.writer(WRITER)
const called = (name: string) => ({ id: 'c', type: 'function', function: { name, arguments: '{}' } })

describe('a tool whose name no backend takes', () => {
  it('has another name at the backend, in the list, the choice and the history', () => {
    const body = sent({
      messages: [
        ...messages,
        { role: 'assistant', content: null, tool_calls: [called('github.search')] },
        { role: 'tool', tool_call_id: 'c', content: 'x' },
      ],
      tools: [tool('github.search'), tool('look')],
      tool_choice: { type: 'function', function: { name: 'github.search' } },
    })

    expect(body.tools.map((each: ReturnType<typeof tool>) => each.function.name)).toEqual(['github_search', 'look'])
    expect(body.tool_choice.function.name).toBe('github_search')
    expect(body.messages[1].tool_calls[0].function.name).toBe('github_search')
  })

  it('is called by its own name in whole answers and in streams', () => {
    const body = { tools: [tool('github.search'), tool('look')] }
    const message = { role: 'assistant', content: null, tool_calls: [called('github_search'), called('look')] }
    const whole = writerOf(body)?.whole({ choices: [{ index: 0, message }] }, {} as never)
    const delta = { tool_calls: [{ index: 0, id: 'c', function: { name: 'github_search', arguments: '' } }] }
    const chunk = writerOf(body)?.chunk({ choices: [{ index: 0, delta }] })

    expect(JSON.stringify(whole)).toContain('"name":"github.search"')
    expect(JSON.stringify(whole)).toContain('"name":"look"')
    expect(chunk).toContain('"name":"github.search"')
  })

  it('stays apart from one that has the name which it would get', () => {
    const names = sent({ tools: [tool('a.b'), tool('a_b'), tool('a/b')] }).tools.map(
      (each: ReturnType<typeof tool>) => each.function.name,
    )
    expect(new Set(names).size).toBe(3)
    expect(names[1]).toBe('a_b')
  })

  it('is never a hosted tool, whatever name it gets', () => {
    const hosted = { brand: 'svc', declared: new Map([['web_search', {}]]) }
    expect(read({ tools: [tool('svc.web.search')] }, hosted).hosted).toBeUndefined()
    expect(read({ tools: [tool('svc_web_search')] }, hosted).hosted).toBeDefined()
  })

  it('may be a custom tool, which is called by its own name with its text', () => {
    const body = { tools: [{ type: 'custom', custom: { name: 'repo.patch' } }] }
    expect(sent(body).tools[0].function.name).toBe('repo_patch')
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'repo_patch', arguments: '{"input":"x"}' } }]
    const whole = writerOf(body)?.whole({ choices: [{ index: 0, message: { tool_calls } }] }, {} as never)
    expect(JSON.stringify(whole)).toContain('"custom":{"name":"repo.patch","input":"x"}')
  })

  it.each(['a b', '', 'a\n', 'x'.repeat(129), 'ä'])('is refused where it is %j', name => {
    const chat = readChat(Buffer.from(JSON.stringify({ messages, tools: [tool(name)] })))
    expect('denial' in chat && chat.denial).toMatchObject({ field: 'tools[0].function.name' })
  })
})
