// Measures how long `svcctl validate` takes for a configuration of 10,000 lines, including the start of node. Needs dist/: npm
// run build.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const RUNS = 5
const ENTRIES = 560
const svcctl = fileURLToPath(new URL('../bin/svcctl.js', import.meta.url))

const many = entry => Array.from({ length: ENTRIES }, (_, n) => entry(n)).join('')
const kinds = [
  n =>
    `  m${n}:\n    kind: chat\n    tier: t${n % 7}\n    serve: [p${n}]\n    context: 32k\n    usd_per_1m: { input: 0.1, output: 0.4 }\n`,
  n =>
    `  m${n}:\n    kind: embedding\n    tier: t${n % 7}\n    serve: [p${n}]\n    context: 8k\n    usd_per_1m: { input: 0.02 }\n`,
  n => `  m${n}:\n    kind: image\n    tier: t${n % 7}\n    serve: [p${n}]\n    usd_per_image:\n      512x512: 0.01\n`,
]
const config = `version: 1
plans:
${many(n => `  s${n}:\n    models: [m${n}, tier:t${n % 7}]\n    rpm: 20\n    tpm: 40k\n    monthly_usd: 1\n`)}models:
${many(n => kinds[n % kinds.length](n))}aliases:
${many(n => `  a${n}: m${n}\n`)}default_model: a0
pools:
${many(n => `  p${n}:\n    site: here\n    replicas:\n      - http://10.0.0.1/v${n}\n    model: x\n    key: \${KEY}\n`)}`

const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
try {
  writeFileSync(join(directory, 'config.yaml'), config)
  const times = Array.from({ length: RUNS }, validate).sort((a, b) => a - b)
  const lines = config.split('\n').length - 1
  process.stdout.write(`${lines} lines: median ${times[RUNS >> 1]} ms of ${RUNS} runs (${times.join(', ')})\n`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function validate() {
  const started = performance.now()
  const { status, stdout } = spawnSync(process.execPath, [svcctl, 'validate'], {
    cwd: directory,
    env: { ...process.env, KEY: 'k' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout)
  return Math.round(performance.now() - started)
}
