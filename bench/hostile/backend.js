// A backend that answers at once, in a process of its own: chats with a few words, and one vector per text. node
// bench/hostile/backend.js PORT [TEXTS]: lists of so many vectors are made before it listens.
import { createServer } from 'node:http'

const DIMENSIONS = 768
const NUMBERS = Array.from({ length: DIMENSIONS }, (_, i) => Number((Math.sin(i) / 10).toFixed(10)))
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }

/** Lists are made once per number of texts, since the benchmark measures the gateway. */
const lists = new Map()

function vectors(count) {
  const known = lists.get(count)
  if (known) return known
  const data = Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding: NUMBERS }))
  const reported = { prompt_tokens: count, total_tokens: count }
  const list = Buffer.from(JSON.stringify({ object: 'list', data, model: 'bench', usage: reported }))
  lists.set(count, list)
  return list
}

const chat = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage,
  }),
)

const [, , port, texts] = process.argv
if (texts) vectors(Number(texts))

createServer((request, response) => {
  const pieces = []
  request.on('data', piece => pieces.push(piece))
  request.on('error', () => {})
  response.on('error', () => {})
  request.on('end', () => {
    const isEmbedding = request.url.endsWith('/embeddings')
    const answer = isEmbedding ? vectors(JSON.parse(Buffer.concat(pieces)).input.length) : chat
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
  })
}).listen(Number(port), '127.0.0.1')
