import { expect, it } from 'vitest'
import { answer, type Behaviour, status } from '../../support/backend.ts'
import { filesOf, foundOfPools, listOf, script, startReplica } from './site.ts'

/** A replica whose metrics are served beside its list of models. */
async function foundOf(metrics: Behaviour, { from = 'vllm', whole }: { from?: string; whole?: Behaviour } = {}) {
  const backend = script(await startReplica(), whole ? { whole } : {})
  const models = listOf({ id: 'test-model', object: 'model' })
  backend.probed(exchange => (exchange.seen.path === '/metrics' ? metrics : models)(exchange))
  return foundOfPools(filesOf([backend.url], { pool: `, load: { from: ${from} }` }))
}

const text =
  (body: string): Behaviour =>
  ({ response }) =>
    void response.end(body)

const VLLM = 'vllm:num_requests_running 3\nvllm:num_requests_waiting 2\n'

it.each([
  ['sglang', 'Start SGLang with --enable-metrics.'],
  ['llamacpp', 'Start llama-server with --metrics.'],
  ['vllm', 'vLLM serves /metrics unless it runs with --disable-log-stats.'],
])('metrics of %s that are not there are a warning that says how to switch them on', async (from, hint) => {
  const found = await foundOf(status(404), { from })
  expect(found).toContainEqual(expect.objectContaining({ state: 'warning', hint: expect.stringContaining(hint) }))
})

it('metrics of another engine are a warning that names the missing one', async () => {
  const found = await foundOf(text(VLLM), { from: 'llamacpp' })
  expect(JSON.stringify(found)).toContain('llamacpp:requests_processing is not among its metrics')
})

it('a vLLM without a prefix cache is a warning that says so', async () => {
  const found = await foundOf(text(`${VLLM}vllm:cache_config_info{enable_prefix_caching="False"} 1\n`))
  expect(found).toContainEqual(
    expect.objectContaining({
      state: 'warning',
      text: expect.stringContaining('runs without a prefix cache'),
      hint: expect.stringContaining('--no-enable-prefix-caching'),
    }),
  )
})

/** Answers with so many tokens of the prompt from a cache; undefined says nothing of them. */
const cached = (tokens: number | undefined): Behaviour =>
  answer({
    content: 'ok',
    usage: {
      ...{ prompt_tokens: 400, completion_tokens: 1, total_tokens: 401 },
      ...(tokens !== undefined && { prompt_tokens_details: { cached_tokens: tokens } }),
    },
  })

it.each([
  ['says nothing of its cache', undefined, '--enable-prompt-tokens-details'],
  ['keeps nothing of a prompt', 0, '--no-enable-prefix-caching'],
])('an engine that %s is a warning that names the switch', async (_, tokens, flag) => {
  const found = await foundOf(text(VLLM), { whole: cached(tokens) })
  expect(found).toContainEqual(expect.objectContaining({ state: 'warning', hint: expect.stringContaining(flag) }))
})

it('an engine that reports its load, and keeps prefixes, is fine', async () => {
  const [found, ...others] = await foundOf(text(VLLM), { whole: cached(384) })
  expect(others).toEqual([])
  expect(found).toMatchObject({ state: 'ok' })
  expect(found?.text).toContain('load: 3 running, 2 waiting')
  expect(found?.text).toContain('keeps prefixes of prompts')
})
