import { vi } from 'vitest'
import { HANGS_MS } from '../../lanes/hangs.ts'
import { startTree } from '../../server/workers/tree.ts'
import { answer, startBackend, status, stream, streamThenReset } from '../../support/backend.ts'
import { type Family, parse } from '../../support/prometheus.ts'

/**
 * The answer of `GET /metrics` from a gateway with two workers and an archive, after requests of every kind: served, refused, failed
 * at one pool and at all, interrupted, and read from a cache.
 */
export async function fullMetrics(): Promise<readonly Family[]> {
  const backend = await startBackend()
  const tree = await startTree(2, directory => yaml(directory, backend.url))
  try {
    const [pro, tight] = [await tree.mint('pro', 'ada'), await tree.mint('tight', 'bea')]
    const said = async (key: string, body: object = {}) => (await tree.chat(key, body)).text().catch(() => '')
    backend.next(answer({ content: 'Hi', usage: USAGE }))
    await said(pro)
    backend.next(stream({ chunks: ['Hi'], usage: USAGE }))
    await said(pro, { stream: true })
    backend.next(streamThenReset({ chunks: ['Hel', 'lo'] }))
    await said(pro, { stream: true })
    for (let n = 0; n < 2; n++) await said(tight)
    // No replica answers, and the operator pays for it.
    for (let n = 0; n < 4; n++) backend.next(status(408))
    await said(pro)
    return await vi.waitFor(async () => {
      const families = parse((await tree.ask('GET', '/metrics')).text)
      const lacking = EXPECTED.filter(name => !families.some(family => family.samples.some(each => each.name === name)))
      if (lacking.length > 0) throw new Error(`not counted yet: ${lacking.join(', ')}`)
      return families
    }, PATIENCE)
  } finally {
    await tree.end()
    await backend.close()
  }
}

const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 5,
  total_tokens: 25,
  prompt_tokens_details: { cached_tokens: 10 },
}

/** Series that appear some time after their request. */
const EXPECTED = ['svc_wasted_usd_total', 'svc_interrupted_total', 'svc_limit_refusals_total', 'svc_worker_lag_seconds']

const PATIENCE = { timeout: HANGS_MS, interval: 100 }

const yaml = (directory: string, backend: string) => `
version: 1
server: { listen: 127.0.0.1:0, admin: 127.0.0.1:0, state_dir: ${directory} }
store: embedded:${directory}/store
ledger: { archive: { to: "file:${directory}/rows" } }
limits: { shed_load: false }
plans:
  pro: { models: all, rpm: 100k, tpm: 900M, monthly_usd: 500 }
  tight: { models: all, rpm: 1, tpm: 900M, monthly_usd: 500 }
models:
  small: { kind: chat, tier: basic, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: small
pools:
  onprem: { site: on-premises, model: test-model, replicas: ["${backend}"], cost_usd_per_1m: { input: 3, output: 7 } }
`
