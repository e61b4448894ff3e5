import type { DialectName } from '../../policy/backend-dialects.ts'
import { type CapField, type ChatModel, placeOf } from '../../policy/config.ts'
import type { StreamTranslator } from '../../wire/dialect.ts'
import { DIALECTS } from '../../wire/dialects.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { readChat } from '../../wire/openai/chat.ts'
import { ChunkReader } from '../../wire/openai/chunk.ts'
import type { WireRequest } from '../../wire/openai/request.ts'
import { SseSplitter } from '../../wire/sse.ts'
import { type Fault, problem, warning } from './finding.ts'
import { isAbsent, refusalOf } from './refusal.ts'
import { type Answer, type ExaminedReplica, type PostTerms, placeText } from './replica.ts'

/** The outcome of a request: its faults, or the notes on what works. */
export interface Outcome {
  readonly faults: readonly Fault[]
  readonly notes: readonly string[]
  /** Until the first byte of the answer, in ms. */
  readonly firstMs?: number
}

const QUESTION = { messages: [{ role: 'user', content: 'Reply with the word ok.' }] }

/** Asks for a whole answer. */
export async function askWhole(
  replica: ExaminedReplica,
  model: ChatModel,
  keyFrom: string | undefined,
): Promise<Outcome> {
  const { request, answer } = await asked(replica, QUESTION, { output: replica.promised.output })
  const refusal = refusalOf(replica, 'a chat', answer, keyFrom)
  if (refusal) return { faults: [refusal], notes: [] }
  const terms = { model, backendModel: replica.pool.model, inputTokens: 0, id: '', created: 0 }
  const read = request.readAnswer(answer.body, terms)
  if (!read)
    return fault(problem(`${replica.host} answers a chat with something other than a completion`, otherForm(replica)))
  if (!read.usage) return fault(warning('reports no usage in whole answers', ESTIMATED))
  return { faults: [], notes: [] }
}

/** Asks for a whole answer in one more dialect that its pool speaks. */
export async function askSpoken(
  replica: ExaminedReplica,
  speech: DialectName,
  model: ChatModel,
  keyFrom: string | undefined,
): Promise<Outcome> {
  const { pool, host, promised } = replica
  const { request, answer } = await asked(replica, QUESTION, { output: promised.output, dialect: DIALECTS[speech] })
  const { head } = answer
  const hint = `Remove \`${speech}\` from \`speaks\` in ${placeText(placeOf(pool, 'speaks'))}`
  if (head && isAbsent(head.status)) return fault(problem(`${host} does not speak ${speech}: ${head.status}`, hint))
  const refusal = refusalOf(replica, `a request in ${speech}`, answer, keyFrom)
  if (refusal) return fault(refusal)
  const read = request.readAnswer(answer.body, { model, backendModel: pool.model, inputTokens: 0, id: '', created: 0 })
  if (!read) return fault(problem(`${host} answers a request in ${speech} with something different`, hint))
  if (!read.usage) return fault(warning(`reports no usage in ${speech}`, ESTIMATED))
  return { faults: [], notes: [`speaks ${speech}`] }
}

/** Asks for a stream, with usage, as every stream of a client does. */
export async function askStream(replica: ExaminedReplica, keyFrom: string | undefined): Promise<Outcome> {
  const reader = new StreamReader(replica.pool.model, replica.dialect.translator?.())
  const body = { ...QUESTION, stream: true, stream_options: { include_usage: true } }
  const { answer } = await asked(replica, body, {
    output: replica.promised.output,
    data: bytes => reader.take(bytes),
  })
  const { head, cause, firstMs } = answer
  // A backend that finished its answer cannot be cut short any more.
  const refusal = reader.ended ? undefined : refusalOf(replica, 'a stream', answer, keyFrom)
  const type = head?.contentType ?? ''
  if (head?.status === 200 && !/^text\/event-stream\b/i.test(type)) {
    const text = `does not stream: it answers with ${shownType(type)} instead of text/event-stream`
    return fault(
      problem(
        text,
        'Streaming clients would get an error. Enable streaming in the backend, or in the proxy in front of it.',
      ),
    )
  }
  if (refusal) return fault(refusal)
  const broken = reader.fault(cause)
  if (broken) return fault(broken)
  const first = firstMs === undefined ? {} : { firstMs }
  if (reader.usage) return { faults: [], notes: ['streams', 'reports usage'], ...first }
  return { faults: [warning('reports no usage in streams', ESTIMATED)], notes: ['streams'], ...first }
}

/** Asks for a call of a function: hosted tools are offered as such. */
export async function askCall(replica: ExaminedReplica, keyFrom: string | undefined): Promise<Outcome> {
  const { answer } = await asked(replica, CALL, { output: replica.promised.callOutput })
  const refusal = refusalOf(replica, 'a chat with a tool', answer, keyFrom)
  if (refusal?.why === 'busy') return fault(refusal)
  if (refusal) return fault(warning(refusal.text, TOOLLESS))
  if (callsIn(answer.body).some(({ name, args }) => name === FUNCTION && isObject(parse(args))))
    return { faults: [], notes: ['calls tools'] }
  return fault(warning('ignores a function in `tool_choice`', TOOLLESS))
}

const FUNCTION = 'report_health'
const CALL = {
  messages: [{ role: 'user', content: 'Report that you are healthy.' }],
  tools: [
    {
      type: 'function',
      function: {
        name: FUNCTION,
        description: 'Reports whether you are healthy.',
        parameters: { type: 'object', properties: { healthy: { type: 'boolean' } }, required: ['healthy'] },
      },
    },
  ],
  tool_choice: { type: 'function', function: { name: FUNCTION } },
}

/** The setting to look at where an answer has another form than it should. */
const otherForm = ({ pool }: ExaminedReplica): string =>
  pool.speaks.includes('chat')
    ? 'Is that the address of an OpenAI-compatible API?'
    : `Does it speak ${pool.speaks.join(' and ')}, as ${placeText(placeOf(pool, 'speaks'))} says?`
const ESTIMATED = 'Clients are charged by an estimate of four bytes per token. Enable usage in the backend.'
const TOOLLESS = 'Hosted tools will not be used. With vLLM: --enable-auto-tool-choice --tool-call-parser …'

const fault = (each: Fault): Outcome => ({ faults: [each], notes: [] })

/** Any content type that is one. */
const shownType = (type: string): string => /^[\w.+-]+\/[\w.+-]+/.exec(type)?.[0] ?? 'no content-type'

/** Sends what the gateway would send for this body. */
export async function asked(
  replica: ExaminedReplica,
  body: object,
  terms: PostTerms & { readonly output: number; readonly caps?: readonly CapField[] },
): Promise<{ readonly request: WireRequest; readonly answer: Answer }> {
  const request = readChat(Buffer.from(JSON.stringify(body)))
  if ('denial' in request) throw new Error(`the doctor's own question is refused: ${JSON.stringify(request.denial)}`)
  const { model, caps, provider } = replica.pool
  const sent = request.bodyFor(model, terms.output, { caps: terms.caps ?? caps, facts: provider.facts })
  return { request, answer: await replica.post('chat', sent, { ...terms, stream: request.stream !== undefined }) }
}

/** Reads a stream as it comes. */
class StreamReader {
  readonly #translator: StreamTranslator | undefined
  readonly #splitter = new SseSplitter()
  readonly #chunks: ChunkReader
  #done = false
  #finished = false
  #wrong: string | undefined
  usage = false

  constructor(model: string, translator: StreamTranslator | undefined) {
    this.#translator = translator
    this.#chunks = new ChunkReader({ model, usageWanted: true, id: '', created: 0 })
  }

  /** Whether all of the answer came, however the connection ended. */
  get ended(): boolean {
    return this.#done && this.#finished
  }

  take(bytes: Buffer): void {
    const events = this.#translator ? this.#translator.push(bytes) : bytes
    for (const event of this.#splitter.push(events)) this.#read(event)
  }

  fault(cause: string | undefined): Fault | undefined {
    if (this.#wrong === undefined) {
      const rest = this.#translator ? this.#splitter.push(this.#translator.end()) : []
      for (const event of [...rest, ...this.#splitter.end()]) this.#read(event)
    }
    const how = this.#wrong ?? (this.#finished ? undefined : (cause ?? 'it ends without a finish_reason'))
    return how === undefined ? undefined : problem(`breaks off a stream: ${how}`, "See the backend's log.")
  }

  #read(event: string): void {
    const chunk = this.#chunks.read(event)
    if (chunk.kind === 'done') this.#done = true
    else if (chunk.kind === 'malformed') this.#wrong ??= 'an event is not JSON'
    else if (chunk.kind === 'error' || chunk.kind === 'failed') this.#wrong ??= 'an event reports an error'
    else if (chunk.kind === 'delta') {
      this.#finished ||= chunk.finished.length > 0
      this.usage ||= chunk.usage !== undefined
    }
  }
}

function callsIn(body: Buffer): readonly { readonly name: unknown; readonly args: string }[] {
  const answer = parse(body.toString('utf8'))
  const [choice] = isObject(answer) && Array.isArray(answer.choices) ? answer.choices : []
  const message = isObject(choice) && isObject(choice.message) ? choice.message : {}
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
  return calls.flatMap(call =>
    isObject(call) && isObject(call.function)
      ? [{ name: call.function.name, args: String(call.function.arguments) }]
      : [],
  )
}
