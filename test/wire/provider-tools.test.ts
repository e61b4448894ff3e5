import { expect, it } from 'vitest'
import { readClientRequest } from '../../src/wire/client-request.ts'
import { providerToolsIn } from '../../src/wire/native/provider-tools.ts'
import { parseDialect } from '../../src/wire/openai/body.ts'

const ofTypes = (...types: readonly string[]) => providerToolsIn({ tools: types.map(type => ({ type })) })

it('names tools that the provider runs without their versions, each once and in order', () => {
  expect(
    ofTypes(
      'web_search_20250305',
      'web_search_preview',
      'web_search_preview_2025_03_11',
      'web_search_2025_08_26',
      'web_search',
    ),
  ).toEqual(['web_search'])
  expect(ofTypes('mcp_toolset', 'mcp', 'file_search', 'code_execution_20260120', 'web_fetch_20250910')).toEqual([
    ...['mcp', 'file_search', 'code_execution', 'web_fetch'],
  ])
  expect(ofTypes('code_interpreter', 'image_generation', 'advisor_20260301')).toEqual([
    ...['code_interpreter', 'image_generation', 'advisor'],
  ])
})

it('counts no tool that the client runs, and none that only looks for others', () => {
  const types = [
    ...['function', 'custom', 'hosted', 'bash_20250124', 'text_editor_20250728', 'memory_20250818', 'local_shell'],
    ...['computer_20251124', 'computer_use_preview', 'computer', 'computer_toolset_20260801', 'apply_patch'],
    ...['browser_toolset_20260801', 'tool_search', 'tool_search_tool_regex_20251119', 'tool_search_tool_bm25_20251119'],
  ]

  expect(ofTypes(...types)).toEqual([])
  expect(providerToolsIn({ tools: [{ name: 'a', input_schema: {} }] })).toEqual([])
})

it('takes a tool that it does not know for one of the provider', () => {
  expect(ofTypes('bash_code_execution_20990101', 'functions', 'toString')).toEqual([
    ...['bash_code_execution', 'functions', 'toString'],
  ])
  expect(ofTypes('x'.repeat(1000))).toEqual(['x'.repeat(64)])
})

it("counts a shell unless it is the client's own", () => {
  expect(providerToolsIn({ tools: [{ type: 'shell', environment: { type: 'local' } }] })).toEqual([])
  for (const environment of [undefined, null, { type: 'container_auto' }])
    expect(providerToolsIn({ tools: [{ type: 'shell', environment }] })).toEqual(['shell'])
})

it('finds servers, containers, and tools that stand in namespaces or in the middle of a conversation', () => {
  expect(providerToolsIn({ mcp_servers: [{ type: 'url' }], container: { skills: [] } })).toEqual([
    ...['mcp', 'code_execution'],
  ])
  expect(providerToolsIn({ mcp_servers: [], container: null })).toEqual([])
  const tools = [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }, { type: 'file_search' }] }]
  const input = [{ type: 'additional_tools', tools: [{ type: 'web_search' }] }]
  expect(providerToolsIn({ tools, input })).toEqual(['file_search', 'web_search'])
  expect(providerToolsIn({ tools: 'x', input: 'y', mcp_servers: 1 })).toEqual([])
})

it.each([
  ['messages', { max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }, 'web_search_20250305'],
  ['responses', { input: 'x' }, 'web_search_preview'],
] as const)('a tool of %s that runs here is none of the provider', (dialect, body, type) => {
  const own = { type: 'function', name: 'own', parameters: {}, input_schema: {} }
  const tools = [{ type, name: 'web_search' }, dialect === 'messages' ? { ...own, type: 'custom' } : own]
  const parsed = parseDialect(Buffer.from(JSON.stringify({ model: 'm', ...body, tools })))
  if ('denial' in parsed) throw new Error('denied')
  const names = { brand: 'svc', declared: new Map([['web_search', {} as never]]) }
  const read = (isHosted: boolean) => {
    const terms = {
      names,
      declared: new Map(),
      thinks: () => false,
      isHosted: (tool: string) => isHosted && tool === 'web_search',
      spoken: new Set(['messages', 'responses']),
      passed: new Set<string>(),
    }
    const request = readClientRequest(dialect, parsed, terms)
    if ('denial' in request || request.request.kind !== 'chat') throw new Error(JSON.stringify(request))
    return request.request
  }

  expect(read(false)).toMatchObject({ losses: [type], providerTools: ['web_search'] })
  expect(read(true)).toMatchObject({ hosted: ['web_search'] })
  expect(read(true)).not.toHaveProperty('providerTools')
})
