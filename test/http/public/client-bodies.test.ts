import { describe, expect } from 'vitest'
import { gatewayTest } from '../../support/gateway-test.ts'

const it = gatewayTest

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = [{ type: 'function', function: { name: 'read', description: 'Reads a file', parameters } }]
const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } }

/**
 * Bodies of clients that no test can run here: desktop applications, or servers with their own databases. Each form is the one of
 * its client's source.
 */
const BODIES: readonly (readonly [string, object])[] = [
  [
    // zed-industries/zed crates/open_ai/src/open_ai.rs: an empty text is an empty list of parts.
    'Zed',
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Read a.txt' },
        { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'It is a file.' },
        { role: 'tool', content: [], tool_call_id: 'call_1' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 50,
      temperature: 1,
      tool_choice: 'auto',
      parallel_tool_calls: false,
      tools,
      prompt_cache_key: '7d1f6c1e-1b2c-4d3e-8f90-a1b2c3d4e5f6',
    },
  ],
  [
    // n8n-io/n8n LmChatOpenAi, over @langchain/openai: its defaults are written out.
    'n8n',
    {
      messages: [{ role: 'user', content: 'Say hi' }],
      temperature: 0.7,
      top_p: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
      n: 1,
      stream: true,
      stream_options: { include_usage: true },
    },
  ],
  [
    // langgenius/dify-official-plugins openai_api_compatible: the form by which it tries a key.
    'Dify, which tries a key',
    { messages: [{ role: 'user', content: 'ping' }], max_tokens: 5, stream: false },
  ],
  [
    'Dify',
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Say hi' }] },
      ],
      stream: true,
      temperature: 0.7,
      top_p: 0.9,
      frequency_penalty: 0,
      user: 'b6c1e1d0-1b2c-4d3e-8f90-a1b2c3d4e5f6',
    },
  ],
  [
    // block/goose crates/goose/src/providers/formats/openai.rs
    'Goose',
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Read a.txt' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', content: 'hi', tool_call_id: 'call_1' },
      ],
      tools,
      temperature: 0.1,
      max_tokens: 50,
      stream: true,
      stream_options: { include_usage: true },
    },
  ],
  [
    // open-webui/open-webui backend/open_webui/routers/openai.py
    'Open WebUI',
    {
      messages: [
        { role: 'user', content: 'Say hi' },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'Again' },
      ],
      stream: true,
      tools: [],
    },
  ],
]

describe('a body as the client writes it is served:', () => {
  it.for(BODIES)('%s', async ([, body], { gateway, key }) => {
    const response = await gateway.chat(key, body)
    const text = await response.text()
    expect(response.status, text).toBe(200)
    expect(text).not.toContain('"error"')
  })
})
