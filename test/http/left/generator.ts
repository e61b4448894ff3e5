import type { ServerResponse } from 'node:http'
import { namedEvent } from '../../../src/wire/sse.ts'
import { type Backend, type Behaviour, SSE_HEADERS, startBackend } from '../../support/backend.ts'

export type Spoken = 'chat' | 'responses' | 'messages'

export const PATHS: Readonly<Record<Spoken, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
}

/** The dialect of the client and that of the backend: the same, or one that the gateway translates into. */
export const WAYS: readonly (readonly [client: Spoken, backend: Spoken])[] = [
  ['chat', 'chat'],
  ['chat', 'responses'],
  ['chat', 'messages'],
  ['responses', 'responses'],
  ['responses', 'chat'],
  ['messages', 'messages'],
  ['messages', 'chat'],
]

/** The backend's output for the next request. */
export interface Script {
  /** Tokens of reasoning that it shows nobody. */
  readonly hidden: number
  /** Tokens that it says, a word each. */
  readonly words: number
  /** Whether each event says what was used so far. */
  readonly isCounting?: boolean
  /** Whether something on the way breaks an event behind the first word. */
  readonly isBroken?: boolean
  /** Rounds in which it calls the first tool that it is given; the one behind them says the words alone. */
  readonly calls?: number
}

/** One event, or several that come together, and the tokens that are made for it. */
interface Step {
  readonly makes: number
  readonly events: (generated: number) => string
}

/** The generation of one answer, step by step as a test says, counted as the owner of the GPU would count it. */
export class Generation {
  readonly prompt: number
  generated = 0
  readonly #response: ServerResponse
  readonly #steps: Step[]
  readonly #whole: (() => object) | undefined
  isStopped = false

  constructor(response: ServerResponse, steps: Step[], prompt: number, whole: (() => object) | undefined) {
    this.#response = response
    this.#steps = steps
    this.#whole = whole
    this.prompt = prompt
    response.on('close', () => {
      this.isStopped = !response.writableFinished
    })
  }

  get left(): number {
    return this.#steps.length
  }

  /** Makes the next step, unless whoever asked has gone. */
  step(): void {
    const step = this.#steps.shift()
    if (!step || this.isStopped) return
    this.generated += step.makes
    if (this.#whole) return
    if (!this.#response.headersSent) this.#response.writeHead(200, SSE_HEADERS).flushHeaders()
    this.#response.write(step.events(this.generated))
  }

  /** More tokens that nobody sees. */
  think(tokens: number): void {
    if (!this.isStopped) this.generated += tokens
  }

  /** Makes all that is left of the answer, and tells its usage. */
  finish(): void {
    while (this.#steps.length > 0 && !this.isStopped) this.step()
    if (this.isStopped) return
    if (this.#whole)
      this.#response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.#whole()))
    else this.#response.end()
  }
}

/** A backend over HTTP that speaks all three dialects, by the path. */
export class Generator {
  readonly backend: Backend
  readonly generations: Generation[] = []
  #script: Script = { hidden: 0, words: 1 }
  #rounds = 0

  private constructor(backend: Backend) {
    this.backend = backend
    backend.always(this.#answer)
  }

  static async start(): Promise<Generator> {
    return new Generator(await startBackend())
  }

  set script(script: Script) {
    this.#script = script
    this.#rounds = 0
  }

  get last(): Generation {
    const last = this.generations.at(-1)
    if (!last) throw new Error('nothing was asked for')
    return last
  }

  readonly #answer: Behaviour = ({ seen, response }) => {
    const spoken = spokenAt(seen.path)
    // A token for each four bytes of what is said in the request.
    const prompt = Math.ceil(Buffer.byteLength(textIn(seen.body)) / 4)
    const tool = this.#rounds++ < (this.#script.calls ?? 0) ? toolIn(seen.body) : undefined
    const steps = STEPS[spoken](this.#script, prompt, tool)
    if (this.#script.isBroken)
      steps.splice(
        steps.findIndex(({ makes }) => makes === 1) + 1,
        0,
        told(() => BROKEN),
      )
    const whole = () => WHOLES[spoken](prompt, generation.generated, tool)
    const generation = new Generation(response, steps, prompt, seen.body.stream === true ? undefined : whole)
    this.generations.push(generation)
  }
}

const spokenAt = (path: string): Spoken =>
  path.endsWith('/responses') ? 'responses' : path.endsWith('/messages') ? 'messages' : 'chat'

/** The name of the first function that a request gives. */
function toolIn({ tools }: Readonly<Record<string, unknown>>): string | undefined {
  const [tool] = Array.isArray(tools) ? (tools as readonly { name?: string; function?: { name: string } }[]) : []
  return tool?.function?.name ?? tool?.name
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value.includes(' ') ? value : ''
  return typeof value === 'object' && value !== null ? Object.values(value).map(textIn).join('') : ''
}

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `word${index} `)

const silent = (makes: number): Step => ({ makes, events: () => ': thinking\n\n' })
const BROKEN = 'data: {"choices":[{"delta":{"cont\n\n'
const told = (events: (generated: number) => string): Step => ({ makes: 0, events })

type Steps = (script: Script, prompt: number, tool: string | undefined) => Step[]

/** Tokens of a call. */
export const CALL_TOKENS = 7
const ARGUMENTS = '{"q":"x"}'
const calling = (events: (generated: number) => string): Step => ({ makes: CALL_TOKENS, events })

const ABOUT = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'test-model' }
const chatUsage = (prompt: number, generated: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: generated, total_tokens: prompt + generated },
})
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

const chatCall = (name: string) => ({ id: 'call_1', type: 'function', function: { name, arguments: ARGUMENTS } })

const chat: Steps = (script, prompt, tool) => {
  const chunk = (delta: object, finish: string | null, generated: number) =>
    data({
      ...ABOUT,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(script.isCounting && chatUsage(prompt, generated)),
    })
  return [
    told(() =>
      data({ ...ABOUT, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
    ),
    silent(script.hidden),
    ...words(script.words).map(word => ({
      makes: 1,
      events: (generated: number) => chunk({ content: word }, null, generated),
    })),
    ...(tool === undefined
      ? []
      : [calling(generated => chunk({ tool_calls: [{ index: 0, ...chatCall(tool) }] }, null, generated))]),
    told(generated => chunk({}, tool === undefined ? 'stop' : 'tool_calls', generated)),
    told(generated => data({ ...ABOUT, choices: [], ...chatUsage(prompt, generated) })),
    told(() => 'data: [DONE]\n\n'),
  ]
}

const named = (value: { readonly type: string }): string => namedEvent(value.type, JSON.stringify(value))

const used = (name: string, input: object) => ({ type: 'tool_use', id: 'toolu_1', name, input })

const messages: Steps = (script, prompt, tool) => [
  told(() =>
    named({
      type: 'message_start',
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: prompt, output_tokens: 1 } },
    } as never),
  ),
  silent(script.hidden),
  told(() => named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never)),
  ...words(script.words).map(text => ({
    makes: 1,
    events: () => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
  })),
  told(() => named({ type: 'content_block_stop', index: 0 } as never)),
  ...(tool === undefined
    ? []
    : [
        calling(
          () =>
            named({ type: 'content_block_start', index: 1, content_block: used(tool, {}) } as never) +
            named({
              type: 'content_block_delta',
              index: 1,
              delta: { type: 'input_json_delta', partial_json: ARGUMENTS },
            } as never) +
            named({ type: 'content_block_stop', index: 1 } as never),
        ),
      ]),
  told(generated =>
    named({
      type: 'message_delta',
      delta: { stop_reason: tool === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: generated },
    } as never),
  ),
  told(() => named({ type: 'message_stop' })),
]

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  content: [{ type: 'text', text: 'whole' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
}

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'test-model' }
const ITEM = { id: 'msg_1', type: 'message', role: 'assistant' }
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
const called = (name: string, args: string, status: string) => ({
  ...{ id: 'fc_1', type: 'function_call', call_id: 'call_1', name, arguments: args, status },
})
const output = (text: string, tool?: string) => [
  { ...ITEM, status: 'completed', content: [part(text)] },
  ...(tool === undefined ? [] : [called(tool, ARGUMENTS, 'completed')]),
]
const responseUsage = (prompt: number, generated: number) => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: generated,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: prompt + generated,
})

const responses: Steps = (script, prompt, tool) => {
  let sequence = 0
  const event = (type: string, members: object) => named({ type, sequence_number: sequence++, ...members } as never)
  const text = words(script.words).join('')
  return [
    told(() => event('response.created', { response: { ...RESPONSE, status: 'in_progress', output: [] } })),
    silent(script.hidden),
    told(
      () =>
        event('response.output_item.added', {
          output_index: 0,
          item: { ...ITEM, status: 'in_progress', content: [] },
        }) + event('response.content_part.added', { ...at, part: part('') }),
    ),
    ...words(script.words).map(delta => ({
      makes: 1,
      events: () => event('response.output_text.delta', { ...at, delta, logprobs: [] }),
    })),
    told(
      () =>
        event('response.output_text.done', { ...at, text, logprobs: [] }) +
        event('response.content_part.done', { ...at, part: part(text) }) +
        event('response.output_item.done', { output_index: 0, item: output(text)[0] }),
    ),
    ...(tool === undefined
      ? []
      : [
          calling(() => {
            const place = { item_id: 'fc_1', output_index: 1 }
            const item = (args: string, status: string) => ({ output_index: 1, item: called(tool, args, status) })
            return (
              event('response.output_item.added', item('', 'in_progress')) +
              event('response.function_call_arguments.delta', { ...place, delta: ARGUMENTS }) +
              event('response.function_call_arguments.done', { ...place, arguments: ARGUMENTS }) +
              event('response.output_item.done', item(ARGUMENTS, 'completed'))
            )
          }),
        ]),
    told(generated =>
      event('response.completed', {
        response: {
          ...RESPONSE,
          status: 'completed',
          output: output(text, tool),
          usage: responseUsage(prompt, generated),
        },
      }),
    ),
  ]
}

const STEPS: Readonly<Record<Spoken, Steps>> = { chat, messages, responses }

const WHOLES: Readonly<Record<Spoken, (prompt: number, generated: number, tool?: string) => object>> = {
  chat: (prompt, generated, tool) => ({
    ...ABOUT,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          ...{ role: 'assistant', content: 'whole' },
          ...(tool !== undefined && { tool_calls: [chatCall(tool)] }),
        },
        finish_reason: tool === undefined ? 'stop' : 'tool_calls',
      },
    ],
    ...chatUsage(prompt, generated),
  }),
  messages: (prompt, generated, tool) => ({
    ...MESSAGE,
    ...(tool !== undefined && {
      content: [...MESSAGE.content, used(tool, JSON.parse(ARGUMENTS))],
      stop_reason: 'tool_use',
    }),
    usage: { input_tokens: prompt, output_tokens: generated },
  }),
  responses: (prompt, generated, tool) => ({
    ...RESPONSE,
    status: 'completed',
    output: output('whole', tool),
    usage: responseUsage(prompt, generated),
  }),
}
