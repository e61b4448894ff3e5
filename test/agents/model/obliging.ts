import { answerPlan, type Choice } from '../../../demo/src/answerer.ts'
import { chunks, completion } from '../../../demo/src/completion.ts'
import { isInvalid } from '../../../demo/src/json.ts'
import { type ChatRequest, parseRequest } from '../../../demo/src/request.ts'
import { type Behaviour, json, status } from '../../support/backend.ts'
import { SSE_HEADERS, write } from '../../support/behaviours.ts'
import { type Fields, fields, list } from './conversation.ts'

/**
 * A chat backend that does what testers of servers want to see done, beyond what the demo's does: it thinks where it is
 * asked to, obeys its system prompt, has log probabilities, and names the text at which it stopped.
 */
export const oblige: Behaviour = async exchange => {
  const { body } = exchange.seen
  const request = parseRequest(body)
  if (isInvalid(request)) return status(400, { error: { message: request.message } })(exchange)
  const plan = answerPlan(
    { ...request, maxTokens: Number.POSITIVE_INFINITY, stop: [] },
    { replica: 'a', thinking: true },
  )
  const made = plan.choices.map(choice => obedient(choice, request, body))
  const output = made.reduce((sum, { choice }) => sum + tokensOf(choice), 0)
  const reasoning = made.reduce((sum, { choice }) => sum + choice.reasoning.length, 0)
  const usage = { prompt: promptTokens(body), completion: output, reasoning }
  const whole = { choices: made.map(({ choice }) => choice), usage }
  const envelope = { id: 'chatcmpl-obliging', created: 1_700_000_000, model: request.model }
  const stops = made.map(({ stop }) => stop)

  if (!request.stream) return json(finished(completion(whole, envelope), stops, body))(exchange)
  exchange.response.writeHead(200, SSE_HEADERS)
  for (const chunk of chunks(whole, envelope, request.includeUsage))
    await write(exchange.response, `data: ${JSON.stringify(finished(chunk, stops, body))}\n\n`)
  exchange.response.end('data: [DONE]\n\n')
}

/** A choice as the request wants it, and the text at which it stopped. */
function obedient(choice: Choice, request: ChatRequest, body: Fields): { choice: Choice; stop?: string } {
  const said = wordOf(request) ?? choice.content.join('').replace(OPENING, '')
  const stop = request.stop.find(text => said.includes(text))
  const content = piecesOf(stop === undefined ? said : said.slice(0, said.indexOf(stop)))
  const thoughts = thinks(body) ? piecesOf(choice.reasoning.join('')) : []
  const free = { ...choice, content: choice.calls.length > 0 ? [] : content, reasoning: thoughts }
  if (tokensOf(free) <= request.maxTokens) return stop === undefined ? { choice: free } : { choice: free, stop }
  const reasoning = thoughts.slice(0, request.maxTokens)
  const left = request.maxTokens - reasoning.length
  return { choice: { reasoning, content: content.slice(0, left), calls: [], finish: 'length' } }
}

/** The word that the system prompt wants said, or that answers the question. */
function wordOf({ messages, json: isJson }: ChatRequest): string | undefined {
  const wanted = messages.find(({ role }) => role === 'system')?.text.match(/exactly the word "(\w+)"/)?.[1]
  const question = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  return wanted ?? (!isJson && question.includes('capital of France') ? 'Paris' : undefined)
}

/** How the demo begins its answers, which tells who it is. */
const OPENING = /^.*?, a demo backend serving .*?\)\. /

const thinks = ({ reasoning_effort, chat_template_kwargs }: Fields): boolean =>
  (typeof reasoning_effort === 'string' && reasoning_effort !== 'none') ||
  fields(chat_template_kwargs).enable_thinking === true

/** Words and signs, as tokenizers cut plain English. */
const piecesOf = (text: string): string[] => text.match(/\s*(?:\w+|[^\s\w])|\s+/g) ?? []

const tokensOf = ({ reasoning, content, calls }: Choice): number =>
  reasoning.length + content.length + calls.reduce((sum, call) => sum + 1 + call.arguments.length, 0)

/** As OpenAI counts: four around each message, and three before the answer. */
function promptTokens({ messages, tools }: Fields): number {
  const texts = list(messages).map(({ role: _, ...rest }) => Object.values(rest).map(textIn).join(' '))
  const around = 4 * texts.length + 3
  return around + [...texts, ...list(tools).map(textIn)].reduce((sum, text) => sum + piecesOf(text).length, 0)
}

const textIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(part => textIn(fields(part).text ?? part)).join(' ')
  return JSON.stringify(value)
}

/** The endings that the demo's answers lack. */
function finished(answer: object, stops: readonly (string | undefined)[], { logprobs, top_logprobs }: Fields): object {
  const choices = list(fields(answer).choices).map((choice, at) => {
    const { message, delta, finish_reason } = choice
    const { content } = fields(message ?? delta)
    const pieces = typeof content === 'string' && content !== '' ? piecesOf(content) : []
    return {
      ...choice,
      ...(message !== undefined && { message: { refusal: null, ...fields(message) } }),
      ...(logprobs === true && {
        logprobs: { content: pieces.map(piece => entryOf(piece, top_logprobs)), refusal: null },
      }),
      // As vLLM names it.
      ...(finish_reason === 'stop' && stops[at] !== undefined && { stop_reason: stops[at] }),
    }
  })
  return { ...answer, choices }
}

const entryOf = (token: string, top: unknown) => {
  const entry = { token, logprob: -0.25, bytes: [...Buffer.from(token)] }
  return { ...entry, top_logprobs: typeof top === 'number' && top > 0 ? [entry] : [] }
}
