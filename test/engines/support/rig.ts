import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { followTime } from '../../support/real-time.ts'

/** A gateway in front of engines. */
export interface Rig {
  readonly test: TestGateway
  readonly key: string
  post(path: string, body: object, options?: { readonly signal?: AbortSignal }): Promise<Response>
  /** The ledger's charges since the last call, once as many requests have ended as were sent. */
  charged(): Promise<{ readonly input: number; readonly output: number; readonly estimated: number }>
  close(): Promise<void>
}

/** `yaml` has the pools, and the models that they serve. */
export async function startRig(yaml: string): Promise<Rig> {
  const test = await startTestGateway({
    // The models of every test gateway are asked for nothing here.
    onprem: [{ url: 'http://127.0.0.1:9/v1' }],
    yaml: 'include: [engines.yaml]',
    files: { 'engines.yaml': `plans: { all: { models: all, rpm: 10k, tpm: 100M, monthly_usd: 1000 } }\n${yaml}` },
  })
  const stopTime = followTime(test.clock)
  const key = await test.key('all')
  let sent = 0
  let rows = 0
  return {
    test,
    key,
    post: (path, body, { signal } = {}) => {
      sent++
      return fetch(`${test.url}/v1${path}`, {
        method: 'POST',
        // SDKs that send this read the error object.
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-stainless-lang': 'js' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      })
    },
    charged: async () => {
      await test.logged(sent)
      const all = await test.ledger()
      const settled = all.slice(rows).filter(({ kind }) => kind === 'settle')
      rows = all.length
      return {
        input: settled.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
        output: settled.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
        estimated: settled.filter(({ estimated }) => estimated).length,
      }
    },
    close: () => {
      stopTime()
      return test.close()
    },
  }
}
