// The bytes of the requests: the same for every contender, except for headers that Portkey needs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentBodies } from './agents.js'

/** Body sizes in bytes, and how the backend answers each. */
const kinds = {
  'whole-1k': { size: 1024, mode: 'whole' },
  'whole-32k': { size: 32_768, mode: 'whole' },
  'whole-1m': { size: 1_048_576, mode: 'whole' },
  burst: { size: 1024, mode: 'burst' },
  paced: { size: 1024, mode: 'paced' },
  idle: { size: 1024, mode: 'idle' },
}

/** A prompt like a person's: several messages of sentences, with the mode in the first. */
function bodyOf({ size, mode }) {
  const sentence = 'Explain in a few words what an "inference gateway" does, and why a ledger is kept of it.\n'
  const body = content => ({
    model: 'svc-core',
    messages: [
      { role: 'system', content: `bench:${mode} You are a helpful assistant.` },
      ...content.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: text })),
    ],
    max_tokens: 100,
    temperature: 0.7,
    ...(mode !== 'whole' && { stream: true, stream_options: { include_usage: true } }),
  })
  const text = sentence.repeat(size > 100_000 ? 100 : 5)
  const texts = []
  while (JSON.stringify(body([...texts, ''])).length < size - text.length - 150) texts.push(text)
  const rest = size - JSON.stringify(body([...texts, ''])).length
  return JSON.stringify(body([...texts, 'x'.repeat(Math.max(0, rest))]))
}

/** Writes each request into a file of the directory; returns the path by the kind of request. */
export function writeRequests(directory, name, { key, headers = {} }) {
  const paths = {}
  const chats = Object.entries(kinds).map(([kind, shape]) => [
    kind,
    { path: '/v1/chat/completions', body: bodyOf(shape) },
  ])
  for (const [kind, { path, body }] of [...chats, ...Object.entries(agentBodies)]) {
    const all = {
      host: 'gateway.example.com',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'OpenAI/JS 6.49.0',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    }
    const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`)
    paths[kind] = join(directory, `${name}-${kind}.http`)
    writeFileSync(paths[kind], `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  }
  return paths
}
