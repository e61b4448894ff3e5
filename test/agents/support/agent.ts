import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { HANGS_MS } from '../../lanes/hangs.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { endSession } from '../../support/end-session.ts'
import type { Dialect } from '../model/model.ts'
import { HELLO, playWorkshop, STATION, TASK } from '../model/workshop.ts'
import { chargeFor, MODEL, type Rig, startRig, type Way } from './rig.ts'
import { distinctWays, pathOf } from './ways.ts'

/** One way to set up an agent. */
export interface Setup {
  readonly dialect: Dialect
  /** Files that it reads, by their path from its home, which is beside its work. */
  files?(site: Site): Readonly<Record<string, string>>
  env?(site: Site): Readonly<Record<string, string>>
  /** It shows a 429 to its user, and ends. */
  readonly endsWhenLimited?: boolean
  /** The tool with which it writes the file, where that is a particular one. */
  readonly writesWith?: string
  /** A program of node_modules/.bin, or a path, and its arguments. */
  command(site: Site): readonly [string, ...string[]]
}

/** Where an agent works, and what it asks. */
export interface Site {
  readonly home: string
  readonly work: string
  /** With /v1. */
  readonly baseURL: string
  readonly key: string
  readonly model: string
  readonly task: string
}

/** Three turns with two tools of the agent itself, by each way to an answer that it can tell from the others. */
export function agentScenarios(setups: Readonly<Record<string, Setup>>, ways: readonly Way[] = WAYS): void {
  const cases = Object.entries(setups).flatMap(([name, { dialect }]) =>
    distinctWays(dialect, ways).map(way => ({ name, way })),
  )

  it.each(cases)('$name, $way: makes the file, charged as counted', async ({ name, way }) => {
    const setup = setups[name]
    if (!setup) throw new Error(`no setup ${name}`)
    const { work, home, remove } = makeSite()
    const rig = await startRig(way, playWorkshop(work))
    try {
      const { baseURL, key } = rig
      const ended = await runAgent(setup, { work, home, baseURL, key, model: MODEL, task: TASK })

      if (way === 'limited' && setup.endsWhenLimited) {
        expect(ended.output + ended.complaints).toContain('The account may send 2 requests a minute. Retry in')
        return
      }
      expect(ended, show(ended, rig)).toMatchObject({ code: 0 })
      expect(readFileSync(join(work, 'hello.txt'), 'utf8').trim()).toBe(HELLO.trim())
      expect(ended.output).toContain(`hello.txt names the station ${STATION}`)
      expect(new Set(rig.model.served.map(({ path }) => path))).toEqual(new Set([pathOf(way, setup.dialect)]))
      if (setup.writesWith) expect(calledTools(rig)).toContain(setup.writesWith)
      if (way === 'limited') expect(rig.test.log.map(({ status }) => status)).toContain(429)
      await rig.test.closed(rig.model.served.length)
      expect(await rig.charged()).toEqual(chargeFor(rig.model))
    } finally {
      await rig.close()
      await remove()
    }
  })
}

/** A start takes seconds of a core. Which pool an answer came from is nothing that a client sees: libraries go the way of failover. */
const WAYS: readonly Way[] = ['translated', 'native', 'limited']

/** For agents that wait as others do with which a limit is met. */
export const BOTH_POOLS: readonly Way[] = ['translated', 'native']

const calledTools = ({ model }: Rig): string[] =>
  model.served.flatMap(({ step }) => (step.calls ?? []).map(({ name }) => name))

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly complaints: string
}

/** A folder with the file that the task is about, and a home without any settings. */
export function makeSite(): { work: string; home: string; remove: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'))
  const [work, home] = [join(folder, 'work'), join(folder, 'home')]
  mkdirSync(work)
  mkdirSync(home)
  writeFileSync(join(work, 'station.txt'), `The station is called ${STATION}.\n`)
  return { work, home, remove: () => removeFolder(folder) }
}

export async function runAgent(setup: Setup, site: Site): Promise<Ended> {
  for (const [name, text] of Object.entries(setup.files?.(site) ?? {})) {
    mkdirSync(dirname(join(site.home, name)), { recursive: true })
    writeFileSync(join(site.home, name), text)
  }
  const [program, ...args] = setup.command(site)
  const env = { PATH: `${BIN}:${process.env.PATH}`, HOME: site.home, TERM: 'dumb', NO_COLOR: '1', ...setup.env?.(site) }
  const child = spawn(program, args, { cwd: site.work, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  let complaints = ''
  child.stdout.on('data', text => {
    output += text
  })
  child.stderr.on('data', text => {
    complaints += text
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  // Processes that it left behind would go on to write to its home, and hold its output open.
  const alone = once(child, 'exit').then(() => endSession(child.pid ?? 0))
  const [[code]] = await Promise.all([once(child, 'close'), alone])
  clearTimeout(timer)
  return { code, output, complaints }
}

/** Agents take seconds of CPU to start. */
const PATIENCE_MS = 4 * HANGS_MS
const BIN = new URL('../node_modules/.bin', import.meta.url).pathname

/** Output to read after a failure. */
const show = ({ output, complaints }: Ended, { test, model }: Rig): string =>
  [
    output.slice(-2000),
    complaints.slice(-2000),
    ...test.log.map(({ method, path, status, code }) => `${method} ${path} ${status} ${code ?? ''}`),
    ...model.served.map(({ path, step }) => `${path} ${JSON.stringify(step)}`),
  ].join('\n')
