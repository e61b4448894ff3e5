import { describe, expect } from 'vitest'
import { answer, stream } from '../../support/backend.ts'
import { eventsOf } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

const tools = [
  { type: 'custom', custom: { name: 'apply_patch' } },
  { type: 'function', function: { name: 'read' } },
]
const calls = [
  { id: 'call_1', name: 'apply_patch', arguments: '{"input":"*** Begin Patch"}' },
  { id: 'call_2', name: 'read', arguments: '{}' },
]

describe('a chat with a custom tool, as GitHub Copilot sends for its patches', () => {
  it('is answered with its text', async ({ backend, gateway }) => {
    backend.next(answer({ content: null, toolCalls: calls }))

    const response = await gateway.chat(await gateway.key(), { tools })

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            tool_calls: [
              { id: 'call_1', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin Patch' } },
              { id: 'call_2', type: 'function', function: { name: 'read', arguments: '{}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    })
    expect(backend.requests[0]?.body).toMatchObject({ tools: [{ type: 'function' }, { type: 'function' }] })
  })

  it('is answered with its text in a stream, which is charged like any other', async ({ backend, gateway }) => {
    const delta = (index: number, args: string, more = {}) => ({
      tool_calls: [{ index, ...more, function: { ...more, arguments: args } }],
    })
    backend.next(
      stream({
        chunks: [
          'Look.',
          delta(0, '{"input":', { id: 'call_1', type: 'function', name: 'apply_patch' }),
          delta(0, '"a"}'),
        ],
        finish: 'tool_calls',
      }),
    )

    const body = { tools, stream: true, stream_options: { include_usage: true } }
    const events = await eventsOf(await gateway.chat(await gateway.key(), body))

    expect(events.at(-1)).toBe('[DONE]')
    const chunks = events.slice(0, -1).map(event => JSON.parse(event))
    expect(chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: object }) => delta))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ content: 'Look.' }),
        { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'apply_patch', input: 'a' } }] },
      ]),
    )
    expect(JSON.stringify(chunks)).not.toContain('"function"')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } })
    await gateway.logged(1)
    expect(gateway.log).toMatchObject([{ status: 200, outputTokens: 3 }])
  })
})
