import type { Exchange } from '../../support/openapi.ts'
import { type Fields, fields } from '../model/conversation.ts'
import type { Maker } from './corrections.ts'
import { eventSchema, publishedFaults } from './published.ts'

/** Faults of one exchange against its dialect's published description; other paths have none. */
export function conformanceFaults({ method, path, status, headers, body, complete }: Exchange): string[] {
  const kind = KINDS.find(one => one.method === method && one.path.test(path))
  if (!kind) return []
  const type = String(headers['content-type'] ?? '').replace(/;.*/, '')
  const text = body.toString('utf8')
  const found =
    type === 'text/event-stream'
      ? streamFaults(kind, text)
      : complete
        ? publishedFaults(kind.maker, status < 400 ? kind.answer : 'ErrorResponse', JSON.parse(text))
        : []
  return found.map(fault => `${method} ${path} ${status}: ${fault}`)
}

interface Kind {
  readonly method: string
  readonly path: RegExp
  readonly maker: Maker
  /** Names of schemas. */
  readonly answer: string
  readonly event?: string
}

const KINDS: readonly Kind[] = [
  {
    method: 'POST',
    path: /^\/v1\/chat\/completions$/,
    maker: 'openai',
    answer: 'CreateChatCompletionResponse',
    event: 'CreateChatCompletionStreamResponse',
  },
  { method: 'POST', path: /^\/v1\/responses$/, maker: 'openai', answer: 'Response', event: 'ResponseStreamEvent' },
  { method: 'POST', path: /^\/v1\/embeddings$/, maker: 'openai', answer: 'CreateEmbeddingResponse' },
  { method: 'POST', path: /^\/v1\/images\/generations$/, maker: 'openai', answer: 'ImagesResponse' },
  { method: 'GET', path: /^\/v1\/models$/, maker: 'openai', answer: 'ListModelsResponse' },
  { method: 'GET', path: /^\/v1\/models\/[^/]+$/, maker: 'openai', answer: 'Model' },
  { method: 'POST', path: /^\/v1\/messages$/, maker: 'anthropic', answer: 'Message', event: 'MessageStreamEvent' },
  { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, maker: 'anthropic', answer: 'CountMessageTokensResponse' },
]

function streamFaults(kind: Kind, text: string): string[] {
  const events = text.split('\n\n').slice(0, -1)
  const values = events.flatMap(event => {
    const data = event.match(/^data: (.*)$/m)?.[1]
    return data === undefined || data === '[DONE]' ? [] : [fields(JSON.parse(data))]
  })
  return values.flatMap((value, at) => eventFaults(kind, value).map(fault => `event ${at}: ${fault}`))
}

function eventFaults({ maker, event = '' }: Kind, value: Fields): string[] {
  // Errors inside streams of chats are no chunks; pings and errors of Messages are documented in prose.
  if ('error' in value) return publishedFaults(maker, 'ErrorResponse', value)
  if (event === 'CreateChatCompletionStreamResponse') return publishedFaults(maker, event, value)
  if (maker === 'anthropic' && value.type === 'ping') return []
  const name = eventSchema(maker, event, value.type)
  return name === undefined ? [`no event ${value.type} is published`] : publishedFaults(maker, name, value)
}
