import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../json.ts'
import type { Passage } from './documents.ts'
import type { SearchIndex } from './search.ts'

const LIMIT = { least: 1, most: 5, usual: 3 } as const

/** The tool as an MCP server lists it. */
export const SEARCH: Tool = {
  name: 'search',
  title: 'Documentation search',
  description:
    'Searches the documentation of svc-gateway: configuration, plans, keys, sign-in, routing, failover, limits, the command line, and why it is built as it is. Returns the passages that fit best, with their headings and files.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 500, description: 'Words to look for, or a question.' },
      limit: {
        type: 'integer',
        minimum: LIMIT.least,
        maximum: LIMIT.most,
        default: LIMIT.usual,
        description: 'How many passages to return at most.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** The passages found, as text for a model. Wrong arguments give an error text from which the model can correct them. */
export function answerSearch(index: SearchIndex, args: unknown): CallToolResult {
  const { query, limit = LIMIT.usual } = isObject(args) ? args : {}
  if (typeof query !== 'string' || query.trim() === '' || query.length > 500) {
    return failed('query must be a text of 1 to 500 characters')
  }
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < LIMIT.least || limit > LIMIT.most) {
    return failed(`limit must be an integer from ${LIMIT.least} to ${LIMIT.most}`)
  }
  const hits = index.search(query, limit)
  if (hits.length === 0) return said(`Nothing in the documentation has a word of ${JSON.stringify(query)}.`)
  return said(hits.map(hitText).join('\n\n'))
}

const hitText = ({ title, file, text }: Passage, at: number): string => `${at + 1}. ${title} (${file})\n${text}`

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
const failed = (text: string): CallToolResult => ({ ...said(text), isError: true })
