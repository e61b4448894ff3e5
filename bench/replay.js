// Measures how many recorded decisions per second `svcctl replay` judges on one core, and what recording one costs. Needs
// dist/: npm run build.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DecisionFiles } from '../dist/adapters/decisions/log.js'
import { logFiles } from '../dist/adapters/decisions/rotation.js'
import { partsOf } from '../dist/cli/explain/decision-lines.js'
import { load } from '../dist/config/load.js'
import { decisionNote } from '../dist/gateway/admission/decisions.js'
import { NO_COUNTERS } from '../dist/policy/counters/account-counters.js'
import { judge } from '../dist/policy/counters/judge.js'
import { decide } from '../dist/policy/decide.js'
import { judgedOf, outcomeAgain } from '../dist/policy/record.js'
import { readRecord } from '../dist/simulate/records.js'
import { Replay } from '../dist/simulate/replay.js'

const LINES = 100_000
const ROUNDS = 9
const BATCH = 2000
const AT = Date.UTC(2026, 10, 21, 10)
const k = rates => {
  const sorted = rates.sort((a, b) => a - b).map(each => `${Math.round(each / 1000)}k`)
  return `${sorted[ROUNDS >> 1]}, ${sorted.at(-1)}`
}
const env = { CLOUD_KEY: 'none' }
const clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after: (ms, run) =>
    (
      id => () =>
        clearTimeout(id)
    )(setTimeout(run, ms)),
}

const result = load('config.example.yaml', env, new URL('..', import.meta.url).pathname)
if (!result.ok) throw new Error(JSON.stringify(result.problems))
const { config } = result.loaded

const [, script, recorded] = process.argv
if (recorded) await measure(recorded)
else {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    await record(directory)
    // In a separate process, as svcctl runs it.
    spawnSync(process.execPath, [script, directory], { stdio: 'inherit' })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Chats on all plans, with named and routed models; some are refused. */
function requestOf(n) {
  const model = [undefined, undefined, 'svc-core', 'svc-pro'][n % 4]
  const request = {
    kind: 'chat',
    ...(model && { model }),
    stream: true,
    messages: 3,
    images: 0,
    tools: 0,
    textBytes: 900 + (n % 700),
    cap: { field: 'max_tokens', tokens: 800 },
    choices: 1,
  }
  const caller = {
    kind: 'developer',
    account: `acct_${String(n % 5000).padStart(20, 'x')}`,
    keyPrefix: 'svc_abcd…',
    terms: { override: ['free', 'pro', 'team'][n % 3] },
  }
  const signals = model ? {} : Object.fromEntries(config.matchers.map(({ name }, at) => [name, (n + at) % 5 === 0]))
  return { at: AT + n, caller, request, health: { down: [] }, signals }
}

/** The account's earlier usage: none, or its whole minute. */
function standingOf(n) {
  const second = Math.floor(AT / 1000)
  return n % 10 === 0
    ? {
        ...NO_COUNTERS,
        minute: Array.from({ length: 40 }, (_, at) => ({ second: second - 40 + at, requests: 20, tokens: 9000 })),
      }
    : NO_COUNTERS
}

async function record(directory) {
  const settings = { decisions: { log: true, directory, maxBytes: 64_000_000, files: 100 } }
  const log = new DecisionFiles({ settings: () => settings.decisions, clock, alarm: text => console.error(text) })
  const spent = { inside: 0, behind: 0 }
  for (let from = 0; from < LINES; from += BATCH) {
    const decided = Array.from({ length: BATCH }, (_, n) => decidedOf(from + n))
    const start = cpuMicros()
    for (const { id, noted } of decided) decisionNote({ config, settings, decisions: log }, id)(...noted)
    const middle = cpuMicros()
    // Waits for the disk after them.
    await new Promise(resolve => setTimeout(resolve, 51))
    await log.close()
    spent.inside += middle - start
    spent.behind += cpuMicros() - middle
  }
  const { written, dropped } = log.counts
  const sizes = (await logFiles(directory)).map(({ path }) => statSync(path).size)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  process.stdout.write(
    `written ${written}, dropped ${dropped}, ${Math.round(bytes / written)} bytes a line; CPU of a request: ${(spent.inside / LINES).toFixed(1)} µs in its way, ${(spent.behind / LINES).toFixed(1)} µs behind it\n`,
  )
}

function decidedOf(n) {
  const facts = requestOf(n)
  const id = `req_${String(n).padStart(26, '0')}`
  const decision = decide(config, facts)
  if ('denial' in decision) return { id, noted: [facts, decision, { denial: decision.denial }] }
  const verdict = judge(standingOf(n), decision.claims, facts.at)
  if ('granted' in verdict)
    return { id, noted: [facts, decision, verdict, { at: facts.at, readings: verdict.readings }] }
  return { id, noted: [facts, decision, { denial: verdict.denial }, judgedOf(standingOf(n), verdict, facts.at)] }
}

function cpuMicros() {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function measure(directory) {
  const files = (await logFiles(directory)).map(({ path }) => path)
  const rates = { replay: [], parse: [] }
  for (let round = 0; round < ROUNDS; round++) {
    const replay = new Replay(config)
    rates.replay.push(await rate(files, line => replay.add(line)))
    const { total, broken } = replay.replayed
    if (total.same !== LINES || broken > 0) throw new Error(JSON.stringify({ total, broken }))
    rates.parse.push(await rate(files, line => line && JSON.parse(line)))
  }
  let differing = 0
  await rate(files.slice(0, 1), line => {
    if (line && !isSame(readRecord(line))) differing++
  })
  process.stdout.write(
    `replayed: ${k(rates.replay)} decisions/s of one core's time (median and best of ${ROUNDS}); reading and JSON.parse alone: ${k(rates.parse)}; ${differing} differ by a byte\n`,
  )
}

/** Lines per second of CPU time. */
async function rate(files, take) {
  const before = cpuMicros()
  for await (const { lines } of partsOf(files)) for (const line of lines) take(line)
  return (LINES / (cpuMicros() - before)) * 1e6
}

function isSame(record) {
  return JSON.stringify(outcomeAgain(config, record)) === JSON.stringify(record.outcome)
}
