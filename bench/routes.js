// Measures what smart routing costs a request: an ordinary prompt of 4 KB next to adversarial ones of 1 MB, with 100 routes.
// Needs dist/: npm run build.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from '../dist/config/load.js'
import { decide } from '../dist/policy/decide.js'
import { readChat } from '../dist/wire/openai/chat.js'
import { signalsIn } from '../dist/wire/openai/signals.js'

const ROUNDS = 15
const CALLS = 20
const routes = Array.from({ length: 100 }, (_, n) =>
  n % 2 === 0
    ? `  - { name: r${n}, when: { mentions: [word${n}, "two words ${n}", слово${n}, 単語${n}] }, use: m }\n`
    : `  - { name: r${n}, when: { matches: '(?i)(a+)+b{1,5}x?${n}$' }, use: m }\n`,
)
const config = `version: 1
plans: { p: { models: all, rpm: 10, tpm: 10M, monthly_usd: 10 } }
models:
  d: { kind: chat, tier: t, serve: [q], context: 2M, usd_per_1m: { input: 1, output: 1 } }
  m: { kind: chat, tier: t, serve: [q], context: 2M, usd_per_1m: { input: 1, output: 1 } }
aliases: { auto: d }
default_model: auto
pools: { q: { site: here, model: x, replicas: [http://127.0.0.1:1/v1] } }
routes:
${routes.join('')}`

const KB = 1024
const prompts = {
  'ordinary, 4 KB': 'The quick brown fox jumps over the lazy dog. '.repeat(91).slice(0, 4 * KB),
  'all of one letter, 1 MB': 'a'.repeat(KB * KB),
  'near misses of every word, 1 MB': 'word1 two words1 слово 単語 '.repeat(KB * KB).slice(0, KB * KB),
  'marks and boundaries, 1 MB': 'e\u0301\u200d🏳️‍🌈 '.repeat(KB * KB).slice(0, KB * KB),
}

const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
try {
  writeFileSync(join(directory, 'config.yaml'), config)
  const result = load('config.yaml', {}, directory)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  measure(result.loaded.config)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function measure(config) {
  const cases = Object.entries(prompts).map(([name, content]) => {
    const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }] }))
    const wire = readChat(body)
    const times = []
    const run = () => {
      const signals = signalsIn(config.matchers, wire.routedText(), {})
      const terms = { override: 'p' }
      const caller = { kind: 'developer', account: 'a', keyPrefix: null, terms }
      return decide(config, { at: 0, caller, request: wire.request, health: { down: [] }, signals })
    }
    return { name, run, times }
  })
  // Interleaved, so that noise on the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const { run, times } of cases) {
      const started = performance.now()
      for (let call = 0; call < CALLS; call++) run()
      times.push((performance.now() - started) / CALLS)
    }
  }
  const median = times => times.sort((a, b) => a - b)[ROUNDS >> 1]
  const [first] = cases
  const ordinary = median(first.times)
  for (const { name, times } of cases) {
    const time = median(times)
    process.stdout.write(`${name}: ${time.toFixed(2)} ms a request, × ${(time / ordinary).toFixed(2)}\n`)
  }
}
