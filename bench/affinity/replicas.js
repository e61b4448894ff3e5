// Replicas over HTTP that answer chats as vLLM does, with the caches and step times of replica.js, so many times faster:
// `node replicas.js SPEED BLOCKS PORT…`. A token is four bytes of the prompt, and a block 64 tokens.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { Replica } from './replica.js'

const BLOCK = 64
const BYTES_PER_TOKEN = 4
const BLOCK_BYTES = BLOCK * BYTES_PER_TOKEN
const [speed, blocks, ...ports] = process.argv.slice(2).map(Number)

/** Runs the steps of one replica when they are due. */
class Engine {
  #replica = new Replica({ blocks, block: BLOCK })
  #due = 0

  add(request) {
    this.#replica.waiting.push(request)
    if (this.#replica.isStepping) return
    this.#due = performance.now()
    this.#step()
  }

  #step() {
    const seconds = this.#replica.beginStep()
    if (seconds === undefined) return
    // A timer that is late delays no later step.
    this.#due += (1000 * seconds) / speed
    setTimeout(() => this.#end(), this.#due - performance.now())
  }

  #end() {
    this.#replica.endStep({
      first: request => request.begin(),
      done: request => request.finish(),
      answerKeys: request => keysAfter(request.keys, Buffer.from(request.prompt + request.text), request.salt),
    })
    this.#step()
  }
}

/** Keys of the whole blocks of a text that come after those known. Each stands for all of the text up to its end. */
function keysAfter(known, bytes, salt) {
  const keys = []
  let before = known.at(-1) ?? salt
  for (let at = known.length * BLOCK_BYTES; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) {
    const hash = createHash('sha1')
      .update(before)
      .update(bytes.subarray(at, at + BLOCK_BYTES))
    before = hash.digest('latin1')
    keys.push(before)
  }
  return keys
}

/** The text that the engine computes for these messages. The answer goes on where it ends. */
const promptOf = ({ messages }) => `${messages.map(({ role, content }) => `<${role}>${content}`).join('')}<assistant>`

/** An answer of so many tokens, different for each prompt length. */
const textOf = (tokens, seed) =>
  Array.from({ length: tokens }, (_, at) => `${String((seed * 31 + at * 17) % 1000).padStart(3, '0')} `).join('')

/** A chat as the engine runs it; its answer is a stream, or whole. */
function chatOf(body, response) {
  const prompt = promptOf(body)
  const bytes = Buffer.from(prompt)
  const salt = body.cache_salt ?? ''
  const tokens = Math.ceil(bytes.length / BYTES_PER_TOKEN)
  const out = body.max_tokens ?? body.max_completion_tokens ?? 16
  // The last token is always computed, and with it the block that it is in.
  const keys = keysAfter([], bytes.subarray(0, (tokens - 1) * BYTES_PER_TOKEN), salt)
  const text = textOf(out, tokens)
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: body.model }
  const say = (delta, reason) =>
    response.write(`data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`)
  const usageOf = ({ hit }) => ({
    ...{ prompt_tokens: tokens, completion_tokens: out, total_tokens: tokens + out },
    prompt_tokens_details: { cached_tokens: hit * BLOCK },
  })
  const whole = request => ({
    ...{ ...frame, object: 'chat.completion', usage: usageOf(request) },
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'length' }],
  })
  return {
    ...{ prompt, text, salt, tokens, out, keys, computed: 0, made: 0 },
    begin: () => body.stream && say({ role: 'assistant', content: text.slice(0, BYTES_PER_TOKEN) }, null),
    finish() {
      if (!body.stream) return response.end(JSON.stringify(whole(this)))
      say({ content: text.slice(BYTES_PER_TOKEN) }, 'length')
      return response.end(
        `data: ${JSON.stringify({ ...frame, choices: [], usage: usageOf(this) })}\n\ndata: [DONE]\n\n`,
      )
    },
  }
}

for (const port of ports) {
  const engine = new Engine()
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    if (request.method === 'GET') return response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }))
    const body = JSON.parse(Buffer.concat(parts).toString())
    response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' })
    response.flushHeaders()
    return engine.add(chatOf(body, response))
  })
  server.listen(port, '127.0.0.1')
}
