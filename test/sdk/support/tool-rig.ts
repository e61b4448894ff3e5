import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { call, type Said, says } from '../../http/tools/fixture.ts'
import { answer, type Backend, type Behaviour, startBackend, status } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type HttpTool, startHttpTool } from '../../support/http-tool.ts'
import { type McpServer, startMcpServer } from '../../support/mcp-server.ts'
import { callsOf, type Rig } from './rig.ts'

/** A rig whose gateway has hosted tools. It is one for all tests of its suite; what was asked is known of each test. */
export interface ToolRig extends Rig {
  /** Has the tool `echo`. */
  readonly mcp: McpServer
  /** The tool `search`. */
  readonly search: HttpTool
  /** Has the tool `late`. It is down until a test says `late.door.serve()`. */
  readonly late: McpServer
  /** The bodies of the rounds that the backend was asked for. */
  readonly rounds: readonly Round[]
  /** Has the backend say or do this, a round each, and then fail. */
  says(...rounds: readonly (Said | Behaviour)[]): void
}

export interface Round {
  readonly messages: readonly {
    readonly role: string
    readonly content: string | null
    readonly tool_calls?: unknown
  }[]
  readonly tool_choice?: unknown
}

export function useToolRig(): ToolRig {
  let backend: Backend
  let mcp: McpServer
  let late: McpServer
  let search: HttpTool
  let test: TestGateway
  let key: string
  let from = 0

  beforeAll(async () => {
    const started = [startBackend(), startMcpServer(), startMcpServer(), startHttpTool()] as const
    ;[backend, mcp, late, search] = await Promise.all(started)
    // The gateway's own requests take nothing from the script of a test.
    backend.answersChecks(answer({ content: 'Hello.' }))
    late.tools.set('late', { run: () => ({ content: [{ type: 'text', text: 'at last' }] }) })
    late.refuse()
    const fields = { pro: 'tools: all', free: 'tools: [echo]' }
    const files = { 'spare.yaml': SPARE }
    test = await startTestGateway({ onprem: [backend], fields, files, yaml: yamlOf(mcp, late, search) })
    key = await test.key('pro')
  })

  beforeEach(async () => {
    await callsOf(test)
    from = test.log.length
    for (const seen of [backend.requests, mcp.calls, late.calls, search.requests]) seen.length = 0
  })

  afterEach(() => {
    backend.always(silent)
    search.always(undefined)
    vi.restoreAllMocks()
  })

  afterAll(async () => {
    await test.close()
    await Promise.all([backend.close(), mcp.close(), late.close(), search.close()])
  })

  return {
    get backend() {
      return backend
    },
    get mcp() {
      return mcp
    },
    get late() {
      return late
    },
    get search() {
      return search
    },
    get test() {
      return test
    },
    get baseURL() {
      return `${test.url}/v1`
    },
    get key() {
      return key
    },
    get sent() {
      return backend.requests.at(-1)?.body ?? {}
    },
    get rounds() {
      return backend.requests.map(({ body }) => body as unknown as Round)
    },
    says: (...rounds) => {
      const left = rounds.map(round => (typeof round === 'function' ? round : says(round)))
      backend.always(exchange => (left.shift() ?? silent)(exchange))
    },
    calls: () => callsOf(test, from),
  }
}

/** Where no test says what the backend says. */
const silent: Behaviour = status(400, { error: { message: 'the script is over' } })

const yamlOf = (mcp: McpServer, late: McpServer, search: HttpTool): string => `
include: [spare.yaml]
hosted_tools:
  echo: { mcp: "${mcp.url}" }
  late: { mcp: "${late.url}" }
  # Nobody listens there.
  lost: { mcp: "http://127.0.0.1:9/mcp" }
  search:
    http: "${search.url}"
    description: Searches the web.
    parameters: { type: object, properties: { q: { type: string } }, required: [q] }
    usd_per_call: 0.005
    max_result: 32KB
`

/** Pays for one answer with three searches, and little more. */
const SPARE = 'plans: { spare: { models: [tier:guest], tools: [search], rpm: 100, tpm: 100k, monthly_usd: 0.04 } }'

/** An answer of three rounds, in which both tools are called. Models call them `echo` and `search`, or as they were sent. */
export const lookup = (echo = 'echo', search = 'search'): readonly Said[] => [
  { content: 'Let me think. ', calls: [call(echo, { text: 'weather' })] },
  { content: 'Let me look. ', calls: [call(search, { q: 'weather' })] },
  { content: 'It rains.' },
]

/** The clients' view: one text, and the tokens of all rounds. */
export const LOOKED_UP = 'Let me think. Let me look. It rains.'
export const SUM = { prompt_tokens: 27, completion_tokens: 9, total_tokens: 36 }

/** A hosted tool, then one of the client beside a hosted one; then, knowing what the client's says, a hosted one again. */
export const mixed: readonly Said[] = [
  { content: 'Let me think. ', calls: [call('svc_echo', { text: 'weather' }, 'c1')] },
  {
    content: 'Where are you? ',
    calls: [call('svc_echo', { text: 'city' }, 'c2'), call('locate', { unit: 'city' }, 'c3')],
  },
  { content: 'Ah. ', calls: [call('svc_search', { q: 'Oslo' }, 'c4')] },
  { content: 'It snows.' },
]

/** Has a wait of so many ms that a client sets itself pass at once, for the gateway too; `then` runs before it ends. */
export function skipWaits({ test }: Rig, ms: number, then: () => void = () => {}): void {
  const wait = globalThis.setTimeout
  const skip = (run: () => void, delay?: number) => {
    if (delay !== ms) return wait(run, delay)
    then()
    test.clock.advance(ms)
    return wait(run, 0)
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(skip as typeof setTimeout)
}
