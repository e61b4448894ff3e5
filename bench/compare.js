// Compares the gateway with bare proxies and peers, in turns within one run. `npm run bench -- --help` lists the options.
// Needs dist/ (npm run build) and a C compiler; a peer that is not installed is skipped, and the report says so.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cases } from './compare/cases.js'
import { backendPort, contendersOf, direct, open } from './compare/contenders.js'
import { describeMachine, loadNow, speedNow } from './compare/machine.js'
import { compile } from './compare/native.js'
import { readOptions } from './compare/options.js'
import { cores, start, stop } from './compare/processes.js'
import { report } from './compare/report.js'
import { takeTurns } from './compare/rounds.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const effort = readOptions(process.argv.slice(2))
if (effort) await run()

async function run() {
  // Next to the sources: a temporary directory may be in memory, where a durable ledger costs nothing.
  mkdirSync(join(root, 'data'), { recursive: true })
  const directory = mkdtempSync(join(root, 'data', 'bench-'))
  try {
    const text = await measureAll(directory)
    if (effort.writes) writeFileSync(join(root, 'bench/RESULTS.md'), text)
    console.log(text)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measureAll(directory) {
  const missing = contender => contender.missing?.()
  const contenders = contendersOf(effort)
  const left = contenders.map(missing).filter(Boolean)
  for (const why of left) console.error(`▲ left out: ${why}`)
  const before = { load: loadNow(), speed: speedNow() }
  const programs = compile(directory)
  const backend = await start([programs.backend, String(backendPort)], { core: cores.rest, port: backendPort })
  programs.beside = [backend.pid]
  const results = {}
  try {
    const chosen = Object.entries(cases).filter(([name]) => effort.cases.includes(name))
    const turns = chosen.filter(([, { load }]) => load)
    if (turns.length > 0)
      Object.assign(
        results,
        await allTurns(
          programs,
          directory,
          turns,
          contenders.filter(each => !missing(each)),
        ),
      )
    for (const [name, { run: runCase }] of chosen.filter(([, each]) => each.run)) {
      console.error(name)
      results[name] = await runCase({ programs, directory, effort, missing })
    }
  } finally {
    await stop(backend)
  }
  const moments = { before, after: { load: loadNow(), speed: speedNow() } }
  const machine = describeMachine(directory)
  if (effort.json) writeFileSync(effort.json, JSON.stringify({ machine, moments, left, results: plain(results) }))
  return report({ machine, moments, effort, left, cases, results })
}

/** The cases that measure the contenders in turns. */
async function allTurns(programs, directory, chosen, contenders) {
  const running = [direct(directory)]
  const results = {}
  try {
    for (const contender of contenders) running.push(await open(contender, { directory }))
    for (const [nth, [name, each]] of chosen.entries()) {
      console.error(name)
      results[name] = { rounds: await takeTurns(programs, running, each, effort, nth === 0) }
    }
  } finally {
    await Promise.all(running.map(each => each.stop()))
  }
  return results
}

/** Results with the rounds by contender as objects, for JSON. */
function plain(results) {
  const entries = Object.entries(results).map(([name, { rounds, ...rest }]) => [
    name,
    rounds ? { ...rest, rounds: Object.fromEntries(rounds) } : rest,
  ])
  return Object.fromEntries(entries)
}
