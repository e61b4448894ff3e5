import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoBackend } from '../../src/demo/backend.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

const installed = existsSync(new URL('./node_modules/openai', import.meta.url))
if (!installed) console.warn('SKIPPED: the SDK tests need `npm ci --prefix test/sdk`')

describe('openai 6.49.0', async () => {
  // Counted, so that nobody takes the silence for success.
  if (!installed) {
    it.skip('needs `npm ci --prefix test/sdk`')
    return
  }
  const { default: OpenAI } = await import('openai')
  let backend: Server
  let test: TestGateway
  let client: InstanceType<typeof OpenAI>

  beforeAll(async () => {
    backend = createDemoBackend({ name: 'demo', models: ['test-model'], paceMs: 0, now: Date.now })
    await once(backend.listen(0, '127.0.0.1'), 'listening')
    const { port } = backend.address() as AddressInfo
    test = await startTestGateway({ onprem: [{ url: `http://127.0.0.1:${port}/v1` }] })
    client = new OpenAI({ baseURL: `${test.url}/v1`, apiKey: await test.key('pro') })
  })

  afterAll(async () => {
    await test.close()
    backend.closeAllConnections()
    backend.close()
  })

  const messages = [{ role: 'user' as const, content: 'What is 6*7?' }]

  it('chats', async () => {
    const { data, response } = await client.chat.completions.create({ model: 'svc-core', messages }).withResponse()

    expect(data.choices[0]?.message.content).toContain('42')
    expect(data.usage?.total_tokens).toBeGreaterThan(0)
    expect(response.headers.get('x-svc-upstream')).toBe('onprem')
  })

  it('chats without naming a model', async () => {
    const answer = await client.chat.completions.create({ messages } as never)

    expect(JSON.stringify(answer)).toContain('42')
  })

  it('streams, and meets no chunk without a choice', async () => {
    let text = ''
    for await (const chunk of await client.chat.completions.create({ model: 'svc-core', messages, stream: true })) {
      const [choice] = chunk.choices
      if (!choice) throw new Error('a chunk without a choice')
      text += choice.delta.content ?? ''
    }

    expect(text).toContain('42')
  })

  it('streams with usage when it asks', async () => {
    const options = { model: 'svc-core', messages, stream: true, stream_options: { include_usage: true } } as const
    let total = 0
    for await (const chunk of await client.chat.completions.create(options)) total += chunk.usage?.total_tokens ?? 0

    expect(total).toBeGreaterThan(0)
  })

  it('collects a stream with its own helper', async () => {
    const runner = client.chat.completions.stream({ model: 'svc-core', messages })

    expect(await runner.finalContent()).toContain('42')
  })

  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ]

  it.each([false, true])('calls a tool and answers from its result (stream: %s)', async stream => {
    const question = { role: 'user' as const, content: 'What is the weather in Oslo?' }
    const request = { model: 'svc-core', messages: [question], tools, tool_choice: 'required' as const }
    const first = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request)
    const message = first.choices[0]?.message
    const [call] = message?.tool_calls ?? []
    if (!message || call?.type !== 'function') throw new Error('no tool call')
    expect(call.function.name).toBe('weather')
    expect(JSON.parse(call.function.arguments)).toHaveProperty('city')

    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'Snow, -3 degrees' }
    const second = await client.chat.completions.create({
      model: 'svc-core',
      messages: [question, message, result],
      tools,
    })

    expect(second.choices[0]?.message.content).toContain('Snow')
  })

  it('lists models and shows one', async () => {
    const ids = []
    for await (const { id } of client.models.list()) ids.push(id)

    expect(ids).toContain('svc-auto')
    expect((await client.models.retrieve('svc-core')).id).toBe('svc-core')
  })

  it('a wrong key is an AuthenticationError that says so', async () => {
    const wrong = new OpenAI({ baseURL: `${test.url}/v1`, apiKey: 'svc_wrong' })

    await expect(wrong.chat.completions.create({ model: 'svc-core', messages })).rejects.toThrow(/401.*revoked/)
  })
})
