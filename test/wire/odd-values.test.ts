import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ClientDialectName } from '../../src/policy/dialect-members.ts'
import { type ClientRequestTerms, readClientRequest } from '../../src/wire/client-request.ts'
import { isObject, type JsonObject } from '../../src/wire/json-safety.ts'
import { parseDialect } from '../../src/wire/openai/body.ts'

const TERMS: ClientRequestTerms = {
  names: { brand: 'svc', declared: new Map() },
  declared: new Map(),
  thinks: () => true,
  isHosted: () => false,
  spoken: new Set(['messages', 'responses']),
  passed: new Set(),
}

/** Values of JSON that some code cannot make a text or a number of. */
const ODD: readonly unknown[] = [{ toString: 1, valueOf: 1 }, { length: 1e9 }, [], null, true, 1e300, '']

/** Values that the vectors lack. */
const MORE: Readonly<Record<ClientDialectName, readonly JsonObject[]>> = {
  messages: [
    {
      ...{ model: 'm', max_tokens: 9, container: { id: 'x' }, mcp_servers: [{ type: 'url' }], inference_geo: 'us' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }, title: 't' },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] } },
            { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'x' }] },
            { type: 'image', source: { type: 'file', file_id: 'f' } },
          ],
        },
        { role: 'assistant', content: [{ type: 'server_tool_use', id: 'i', name: 'n', input: {} }] },
        { role: 'user', content: 'x' },
      ],
    },
  ],
  responses: [
    {
      ...{ model: 'm', prompt_cache_key: 'k', service_tier: 'auto', metadata: { a: 'b' }, max_tool_calls: 1 },
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      tools: [
        { type: 'function', name: 'f', parameters: {}, strict: true },
        { type: 'mcp', server_label: 'x' },
        { type: 'shell', environment: { type: 'local' } },
      ],
      input: [
        { role: 'user', content: [{ type: 'input_file', file_data: 'x', filename: 'f' }, { type: 'input_audio' }] },
        { type: 'image_generation_call', id: 'i', result: 'x' },
        { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: 'x' } },
        { type: 'custom_tool_call', call_id: 'c', name: 'n', input: 'x' },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'x' },
      ],
    },
  ],
}

function requestsOf(dialect: ClientDialectName): JsonObject[] {
  const file = new URL(`./${dialect}/vectors.json`, import.meta.url)
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly request?: unknown }[]
  return [...vectors.flatMap(({ request }) => (isObject(request) ? [request] : [])), ...MORE[dialect]]
}

/** The value with an odd one in each of its places. */
function* mutants(value: unknown, odd: unknown): Generator<unknown> {
  yield odd
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries())
      for (const other of mutants(each, odd)) yield value.map((old, i) => (i === at ? other : old))
  } else if (isObject(value)) {
    for (const name of Object.keys(value))
      for (const other of mutants(value[name], odd)) yield { ...value, [name]: other }
  }
}

describe.each(['messages', 'responses'] as const)('a request of %s', dialect => {
  it.each(ODD)('is read or refused with %j in any of its places', odd => {
    let read = 0
    for (const request of requestsOf(dialect)) {
      for (const body of mutants(request, odd)) {
        const parsed = parseDialect(Buffer.from(JSON.stringify(body)))
        if ('denial' in parsed) continue
        const wire = readClientRequest(dialect, parsed, TERMS)
        if (!('denial' in wire)) wire.spoken?.own?.nativeBody('m', 9, { cut: ['web_search'] })
        read++
      }
    }
    expect(read).toBeGreaterThan(100)
  })
})
