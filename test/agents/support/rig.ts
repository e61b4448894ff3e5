import { type Backend, startBackend, status } from '../../support/backend.ts'
import { ENV, startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { followTime } from '../../support/real-time.ts'
import type { Script } from '../model/conversation.ts'
import { ScriptedModel } from '../model/model.ts'
import { startRecorder } from './recorder.ts'

/** The path between a client and its answers. */
export type Way =
  /** The pool speaks chat completions only: other dialects are translated. */
  | 'translated'
  /** The pool speaks all three: none is translated. */
  | 'native'
  /** The pool speaks one only: the others are translated. */
  | 'to-responses'
  | 'to-messages'
  /** The first pool fails, and the second one answers. */
  | 'failover'
  /** The plan allows two requests a minute: the third is told to wait a second. */
  | 'limited'

/** A gateway before a scripted model. */
export interface Rig {
  readonly test: TestGateway
  readonly model: ScriptedModel
  /** Requests that the answering pool got, with their headers and bodies. */
  readonly backend: Backend
  readonly key: string
  /** With /v1. */
  readonly baseURL: string
  /** The ledger's charges. */
  charged(): Promise<Charge>
  close(): Promise<void>
}

export interface Charge {
  readonly input: number
  readonly output: number
  readonly nanoUsd: number
  /** Requests of which a backend reported no usage. */
  readonly estimated: number
}

/** The price of the model's own count, with the prices of the files below. */
export const chargeFor = ({ total }: ScriptedModel): Charge => ({
  input: total.input,
  output: total.output,
  nanoUsd: (total.input - total.cached) * 1000 + total.cached * 250 + total.output * 10_000,
  estimated: 0,
})

export const MODEL = 'agent-model'

/** Codex lists a search in each request. */
const toolsOf = (speaks: string): string =>
  speaks === '[chat]' ? '' : ', provider_tools: [web_search, image_generation]'

/** Pools of their own, since those of every test gateway serve embeddings and images too. */
const yamlOf = (pools: readonly Backend[], speaks: string): string => `
plans:
  hurried: { models: all, rpm: 2, tpm: 10M, monthly_usd: 20 }
  budgeted:
    models: all
    rpm: 600
    tpm: 10M
    monthly_usd: 20
    limits: [{ requests: 4, of: session, idle: 24h, last_turn: 2k, warn: append at 50% }]
models:
  ${MODEL}:
    kind: chat
    tier: standard
    serve: [${pools.map((_, i) => `agents-${i}`).join(', ')}]
    context: 200k
    vision: true
    usd_per_1m: { input: 1, cached_input: 0.25, output: 10 }
# Clients choose how they ask by such names.
aliases: { gpt-5*: ${MODEL}, gpt-4o: ${MODEL}, claude-*: ${MODEL} }
pools:
${pools
  .map(
    ({ url }, i) =>
      `  agents-${i}: { site: on-premises, model: test-model, speaks: ${speaks}${toolsOf(speaks)}, replicas: ["${url}"] }`,
  )
  .join('\n')}
`

/** With this it keeps responses, as some clients want unless they are told otherwise. */
export const KEEPS = `responses: { keep: 1h, key: "\${RESPONSES_KEY}" }`

/** `more` is what else the files say. */
export async function startRig(way: Way, script: Script, more = '', start: Pick<TestPools, 'now'> = {}): Promise<Rig> {
  const model = new ScriptedModel(script)
  const backend = await startBackend()
  backend.always(model.answer)
  const failing = way === 'failover' ? await startBackend() : undefined
  failing?.always(status(500, { error: { message: 'out of order' } }))
  const pools = failing ? [failing, backend] : [backend]
  const test = await startTestGateway({
    onprem: [backend],
    ...start,
    // The clock jumps where a minute is to be over, and no attempt is too slow then.
    yaml: `include: [agents.yaml]
failover: { headers_timeout: 600s, first_content_timeout: 600s, idle_timeout: 600s }
${more}`,
    env: { ...ENV, RESPONSES_KEY: '0'.repeat(64) },
    files: { 'agents.yaml': yamlOf(pools, SPEAKS[way] ?? '[chat]') },
  })
  const recorder = startRecorder(Number(new URL(test.url).port))
  const stop = way === 'limited' ? makeHurried(test, backend, model) : followTime(test.clock)
  return {
    test,
    model,
    backend,
    key: await test.key(way === 'limited' ? 'hurried' : 'pro'),
    baseURL: `${test.url}/v1`,
    charged: async () => {
      const rows = (await test.ledger()).filter(({ kind }) => kind !== 'waste')
      return {
        input: rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
        output: rows.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
        nanoUsd: rows.reduce((sum, { cost }) => sum + cost, 0),
        estimated: rows.filter(({ estimated }) => estimated).length,
      }
    },
    close: async () => {
      stop()
      await test.close()
      await Promise.all([backend.close(), failing?.close()])
      const faults = recorder.stop()
      if (faults.length > 0) throw new Error(`not as published:\n${[...new Set(faults)].join('\n')}`)
    },
  }
}

const SPEAKS: Partial<Record<Way, string>> = {
  native: '[chat, responses, messages]',
  'to-responses': '[responses]',
  'to-messages': '[messages]',
}

/**
 * Two requests take the minute, which is nearly over when the second is answered; a refused client finds it over.
 * Else the clock stands still, so that slow clients meet the limit too.
 */
function makeHurried(test: TestGateway, backend: Backend, model: ScriptedModel): () => void {
  backend.always(exchange => {
    if (model.served.length % 2 === 1) test.clock.advance(60_500)
    return model.answer(exchange)
  })
  const forgive = async (from: number): Promise<void> => {
    const entry = (await test.logged(from + 1))[from]
    if (entry?.status === 429) test.clock.advance(1000)
    return forgive(from + 1)
  }
  void forgive(0)
  return () => {}
}
