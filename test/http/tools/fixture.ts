import type { AnswerOptions } from '../../support/backend.ts'
import { answer, type Backend, startBackend, stream } from '../../support/backend.ts'
import { eventsOf, startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { type HttpTool, startHttpTool } from '../../support/http-tool.ts'

/** A call as a model makes it. */
export const call = (name: string, args: unknown, id = `call_${name}`) => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})

/** `extra_content`: what its backend added. */
type Call = ReturnType<typeof call> & { readonly extra_content?: object }

/** A model's round: text, calls, or both. */
export type Said = Pick<AnswerOptions, 'content' | 'usage' | 'finish' | 'reasoning'> & {
  readonly calls?: readonly Call[]
}

/** A model that says one thing after the other, whole or streamed as it is asked. */
export const says = ({ calls, content, reasoning, finish, usage }: Said) => {
  const common = { ...(usage !== undefined && { usage }) }
  const ends = finish ?? (calls ? 'tool_calls' : 'stop')
  const whole = answer({
    ...common,
    content,
    finish: ends,
    ...(reasoning !== undefined && { reasoning }),
    ...(calls && { toolCalls: calls }),
  })
  const chunks = [
    ...(reasoning === undefined ? [] : [{ reasoning_content: reasoning }]),
    ...(content === null ? [] : [content]),
    ...(calls ?? []).flatMap(({ id, name, arguments: args, ...added }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' }, ...added }] },
      { tool_calls: [{ index, function: { arguments: args.slice(0, 3) } }] },
      { tool_calls: [{ index, function: { arguments: args.slice(3) } }] },
    ]),
  ]
  const streamed = stream({ ...common, chunks, finish: ends })
  return (exchange: Parameters<typeof whole>[0]) => (exchange.seen.body.stream === true ? streamed : whole)(exchange)
}

export interface Answer {
  readonly id: string
  readonly model: string
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
  readonly finish: string
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number } | undefined
}

/** A gateway with a model of two pools, and tools: `search` over HTTP for half a cent, a calculator and a clock. */
export class Tools {
  readonly backend: Backend
  readonly cloud: Backend
  readonly search: HttpTool
  readonly test: TestGateway
  readonly key: string

  private constructor(backend: Backend, cloud: Backend, search: HttpTool, test: TestGateway, key: string) {
    this.backend = backend
    this.cloud = cloud
    this.search = search
    this.test = test
    this.key = key
  }

  static async start(
    options: Partial<TestPools> & { readonly tool?: string; readonly tools?: string; readonly spare?: boolean } = {},
  ): Promise<Tools> {
    const { tool = '', tools = '', spare = false, ...pools } = options
    const backend = await startBackend()
    const cloud = await startBackend()
    const search = await startHttpTool()
    const test = await startTestGateway({
      onprem: [backend],
      cloud: [cloud],
      ...pools,
      ...(spare && { files: { 'more.yaml': SPARE } }),
      fields: { free: 'tools: [calculator]', pro: 'tools: all', tight: 'tools: [calculator]', ...pools.fields },
      yaml: `${spare ? 'include: [more.yaml]' : ''}
hosted_tools:
  search: { http: "${search.url}", description: Searches the web., usd_per_call: 0.005, parameters: ${SCHEMA}${tool} }
  calculator: { builtin: calculator }
  current_time: { builtin: current_time }
${tools}
${pools.yaml ?? ''}`,
    })
    return new Tools(backend, cloud, search, test, await test.key('pro'))
  }

  async close(): Promise<void> {
    await this.test.close()
    await Promise.all([this.backend.close(), this.cloud.close(), this.search.close()])
  }

  ask(body: object, { key = this.key, signal }: { key?: string; signal?: AbortSignal } = {}): Promise<Response> {
    return this.test.chat(key, { tools: [{ type: 'hosted', name: 'search' }], ...body }, { ...(signal && { signal }) })
  }

  /** The client's answer, whole or assembled from its stream. */
  async answer(body: object, key = this.key): Promise<Answer> {
    const response = await this.ask(body, { key })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return 'stream' in body && body.stream ? ofStream(await eventsOf(response)) : ofWhole(await response.json())
  }

  /** The bodies that models were sent. */
  get rounds() {
    return this.backend.requests.map(({ body }) => body as unknown as SentBody)
  }
}

export interface SentBody {
  readonly messages: readonly {
    readonly role: string
    readonly content: string | null
    readonly tool_call_id?: string
    readonly tool_calls?: readonly { readonly id: string }[]
  }[]
  readonly tools?: readonly {
    readonly type: string
    readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
  }[]
  readonly tool_choice?: unknown
  readonly max_tokens: number
}

/** Pays for one answer with three calls, and little more. */
const SPARE = 'plans: { spare: { models: [tier:guest], tools: [search], rpm: 100, tpm: 100k, monthly_usd: 0.04 } }'
const SCHEMA = '{ type: object, properties: { q: { type: string } }, required: [q] }'

interface Whole {
  readonly id: string
  readonly model: string
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null
      readonly reasoning_content?: string
      readonly tool_calls?: readonly { readonly function: Answer['calls'][number] }[]
    }
    readonly finish_reason: string
  }[]
  readonly usage?: Answer['usage']
}

function ofWhole(value: unknown): Answer {
  const { id, model, choices, usage } = value as Whole
  const [choice] = choices
  if (!choice || choices.length !== 1) throw new Error('an answer has one choice')
  const { content, reasoning_content: reasoning = '', tool_calls: calls = [] } = choice.message
  return {
    id,
    model,
    content: content ?? '',
    reasoning,
    calls: calls.map(({ function: { name, arguments: args } }) => ({ name, arguments: args })),
    finish: choice.finish_reason,
    usage,
  }
}

interface Chunk {
  readonly id: string
  readonly model: string
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string
      readonly content?: string
      readonly reasoning_content?: string
      readonly tool_calls?: readonly {
        readonly index: number
        readonly function: { readonly name?: string; readonly arguments?: string }
      }[]
    }
    readonly finish_reason: string | null
  }[]
  readonly usage?: Answer['usage']
}

/** Throws where the events are not those of one ordinary answer. */
export function ofStream(events: readonly string[]): Answer {
  if (events.at(-1) !== '[DONE]') throw new Error(`no clean end: ${events.at(-1)}`)
  const chunks = events.slice(0, -1).map(event => JSON.parse(event) as Chunk)
  const choices = chunks.flatMap(({ choices: [choice] }) => choice ?? [])
  const ids = new Set(chunks.map(({ id }) => id))
  const models = new Set(chunks.map(({ model }) => model))
  const roles = choices.filter(({ delta }) => delta.role !== undefined)
  const finishes = choices.flatMap(({ finish_reason: finish }) => finish ?? [])
  if (ids.size !== 1 || models.size !== 1 || roles.length !== 1 || finishes.length !== 1)
    throw new Error(`${ids.size} ids, ${models.size} models, ${roles.length} roles, finishes ${finishes}`)
  const calls: { name: string; arguments: string }[] = []
  for (const { index, function: part } of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    const open = calls[index]
    if (open) open.arguments += part.arguments ?? ''
    else calls[index] = { name: part.name ?? '', arguments: part.arguments ?? '' }
  }
  const textOf = (field: 'content' | 'reasoning_content') => choices.map(({ delta }) => delta[field] ?? '').join('')
  return {
    id: [...ids].join(),
    model: [...models].join(),
    content: textOf('content'),
    reasoning: textOf('reasoning_content'),
    calls,
    finish: finishes.join(),
    usage: chunks.find(({ usage }) => usage)?.usage,
  }
}
