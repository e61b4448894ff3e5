import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EngineMetricsReader } from '../../../src/gateway/load/engine-metrics.ts'
import { type EngineName, METRICS_PATHS } from '../../../src/policy/engines.ts'

/** Texts in the form that each engine documents. */
const textOf = (name: string): Buffer =>
  readFileSync(new URL(`../../support/engine-metrics/${name}.txt`, import.meta.url))

function read(engine: EngineName, text: Buffer, pieceBytes = text.length) {
  const reader = new EngineMetricsReader(engine)
  for (let at = 0; at < text.length; at += pieceBytes) reader.read(text.subarray(at, at + pieceBytes))
  return reader.end()
}

const READINGS = {
  'vllm-0.11': {
    engine: 'vllm',
    is: { running: 11, waiting: 12, kvUsage: 0.5, startedAt: 1764324123450, cachesPrefixes: true },
  },
  'vllm-0.8': {
    engine: 'vllm',
    is: { running: 5, waiting: 12, kvUsage: 0.5, startedAt: 1746984100000, cachesPrefixes: false },
  },
  sglang: { engine: 'sglang', is: { running: 20, waiting: 3, kvUsage: 0.2, startedAt: 1764324100000 } },
  llamacpp: { engine: 'llamacpp', is: { running: 4, waiting: 46 } },
  'llamacpp-with-kv': { engine: 'llamacpp', is: { running: 1, waiting: 0, kvUsage: 0.0625 } },
  tgi: { engine: 'tgi', is: { running: 8, waiting: 5 } },
  trtllm: { engine: 'trtllm', is: { running: 9, waiting: 3, kvUsage: 0.62 } },
} as const

describe('metrics of engines', () => {
  for (const [name, { engine, is }] of Object.entries(READINGS))
    it(`the metrics of ${name} give its load, however they are cut`, () => {
      const text = textOf(name)
      for (const pieceBytes of [text.length, 1, 7, 64]) expect(read(engine, text, pieceBytes)).toEqual(is)
    })

  it('every engine has a text here', () => {
    const engines = Object.values(READINGS).map(({ engine }) => engine)
    expect(new Set(engines)).toEqual(new Set(Object.keys(METRICS_PATHS)))
  })

  it.each([
    ['NaN', 'vllm:num_requests_waiting NaN', 'vllm:num_requests_waiting is NaN'],
    ['an infinite figure', 'vllm:num_requests_waiting +Inf', 'vllm:num_requests_waiting is Infinity'],
    ['a negative figure', 'vllm:num_requests_waiting -1', 'vllm:num_requests_waiting is -1'],
    ['a figure that no engine has', 'vllm:num_requests_waiting 1e300', 'vllm:num_requests_waiting is 1e+300'],
    ['a cache that is more than full', 'vllm:kv_cache_usage_perc 73', 'vllm:kv_cache_usage_perc is 73'],
    [
      'a word in place of a figure',
      'vllm:num_requests_waiting many',
      'vllm:num_requests_waiting has no readable value',
    ],
    ['no value', 'vllm:num_requests_waiting{engine="0"}', 'vllm:num_requests_waiting has no readable value'],
    [
      'labels that do not end',
      'vllm:num_requests_waiting{engine="0 3',
      'vllm:num_requests_waiting has labels that cannot be read',
    ],
    ['nothing', '', 'vllm:num_requests_running is not among its metrics'],
    [
      'a page of another server',
      '<html>vllm:num_requests_waiting 3</html>',
      'vllm:num_requests_running is not among its metrics',
    ],
  ])('%s is no report', (_, line, problem) => {
    const text = `${line === '' || line.startsWith('<') ? '' : 'vllm:num_requests_running 1\n'}${line}\n`
    expect(() => read('vllm', Buffer.from(text))).toThrow(problem)
  })

  it('lines of other metrics are skipped, whatever they hold', () => {
    const noise = [
      '# HELP',
      '#',
      'x',
      '{}',
      'vllm:other NaN',
      `y{a="${'z'.repeat(100_000)}"} 1`,
      '\0\xff',
      'vllm:num_requests_running_by_reason many',
    ]
    const text = [...noise, 'vllm:num_requests_running 1', ...noise, 'vllm:num_requests_waiting 2'].join('\r\n')
    expect(read('vllm', Buffer.from(text))).toEqual({ running: 1, waiting: 2 })
  })

  it('labels may hold quotes, braces and commas', () => {
    const label = '{model_name="a\\"},{b=\\\\",engine="0",}'
    const text = `vllm:num_requests_running${label} 1 1764324123450\nvllm:num_requests_waiting${label}\t2\n`
    expect(read('vllm', Buffer.from(text))).toEqual({ running: 1, waiting: 2 })
  })
})
