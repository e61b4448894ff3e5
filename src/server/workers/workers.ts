import { type ChildProcess, fork } from 'node:child_process'
import type { Examined } from '../../config/load.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { WorkerState } from '../../wire/admin/process.ts'
import type { DrainTimes } from '../drain.ts'
import type { LineOut } from '../log/line-out.ts'
import { within } from '../world.ts'
import { type MainCalls, PREPARE_MS, type WorkerCalls, type WorkerTask } from './calls.ts'
import { eventOf, Peer } from './peer.ts'
import { relayLines } from './relay.ts'

export interface WorkersPorts {
  readonly count: number
  /** What a worker begins with now. */
  readonly task: (slot: number) => WorkerTask
  /** What a worker of a slot may call. */
  readonly calls: (slot: number) => Omit<MainCalls, 'born'>
  /** A worker serves from now on. */
  readonly ready: (slot: number) => void
  /** A worker ended: what it held is free. */
  readonly gone: (slot: number) => void
  /** Where their lines go. */
  readonly out: LineOut
  readonly err: LineOut
  readonly alarm: Alarm
}

/** The workers of a gateway, each in its slot: one that ends is followed by another one. */
export class Workers {
  readonly #ports: WorkersPorts
  readonly #slots: Slot[] = []
  #isLeaving = false
  #turn = 0

  constructor(ports: WorkersPorts) {
    this.#ports = ports
  }

  /** Starts all workers. Rejects, with none left, where one cannot begin. */
  async start(): Promise<void> {
    try {
      await Promise.all(Array.from({ length: this.#ports.count }, (_, slot) => this.#begin(slot, 0)))
    } catch (error) {
      this.cut()
      for (const { worker } of this.#slots) worker.kill('SIGKILL')
      throw error
    }
  }

  get size(): number {
    return this.#slots.length
  }

  /** The next worker in the row that serves: one that does not answer only where no other one does. Undefined while there is none. */
  next(): { readonly slot: number; readonly worker: ChildProcess } | undefined {
    let silent: number | undefined
    for (let tries = 0; tries < this.#slots.length; tries++) {
      const slot = this.#turn++ % this.#slots.length
      const { state, worker } = this.#slots[slot] ?? {}
      if (worker && state === 'serving') return { slot, worker }
      if (state === 'silent') silent ??= slot
    }
    const worker = this.#slots[silent ?? -1]?.worker
    return silent === undefined || !worker ? undefined : { slot: silent, worker }
  }

  get states(): readonly Omit<WorkerState, 'connections' | 'inFlight'>[] {
    return this.#slots.map(({ worker, state, startedAt, restarts }, slot) => ({
      ...{ worker: slot, pid: worker.pid ?? 0, state, startedAt, restarts },
    }))
  }

  tell<Name extends keyof WorkerCalls>(name: Name, ...args: Parameters<WorkerCalls[Name]>): void {
    for (const { peer } of this.#slots) peer.tell(name, ...args)
  }

  tellOne<Name extends keyof WorkerCalls>(slot: number, name: Name, ...args: Parameters<WorkerCalls[Name]>): void {
    this.#slots[slot]?.peer.tell(name, ...args)
  }

  /** To all but this one. */
  tellOthers<Name extends keyof WorkerCalls>(but: number, name: Name, ...args: Parameters<WorkerCalls[Name]>): void {
    this.#slots.forEach(({ peer }, slot) => {
      if (slot !== but) peer.tell(name, ...args)
    })
  }

  /** Has all workers open a configuration. Rejects where one refuses, or ends: then none serves it. */
  async prepare(generation: number, examined: Examined, fingerprint: string): Promise<Prepared> {
    // One that does not listen yet gets it before it does, or right then.
    const slots = this.#slots.filter(({ peer, hasBegun }) => hasBegun && peer.isThere)
    const abort = () => {
      for (const { peer } of slots) peer.tell('abort', generation)
    }
    const asked = Promise.all(slots.map(({ peer }) => peer.ask('prepare', generation, examined)))
    try {
      if (!(await within(PREPARE_MS, asked))) throw new Error('a worker did not open the configuration in time')
      const opened = await asked
      if (opened.some(each => each !== fingerprint)) throw new Error('a worker opened another configuration')
    } catch (error) {
      asked.catch(() => {})
      abort()
      throw error
    }
    return {
      commit: async () => {
        await Promise.all(slots.map(({ peer }) => peer.ask('commit', generation).catch(() => {})))
        // Those that began in between began with what served before.
        const late = this.#slots.filter(slot => !slots.includes(slot) && slot.peer.isThere)
        await Promise.all(late.map(slot => follow(slot, generation, examined)))
      },
      abort,
    }
  }

  /** What each worker will say, by slot. */
  askEach<Answer>(ask: (peer: Peer<WorkerCalls>) => Promise<Answer>): ReadonlyMap<number, Promise<Answer>> {
    return new Map(this.#slots.map(({ peer }, slot) => [slot, ask(peer)]))
  }

  /** What each worker says, by slot; `otherwise` of those that do not say it in time. */
  askAll<Answer>(
    ask: (peer: Peer<WorkerCalls>) => Promise<Answer>,
    otherwise: Answer,
    most = ANSWER_MS,
  ): Promise<readonly Answer[]> {
    const asked = this.#slots.map(({ peer }) => ask(peer).catch(() => otherwise))
    return Promise.all(asked.map(async each => ((await within(most, each)) ? each : otherwise)))
  }

  /** They are to leave soon. */
  leave(): void {
    this.tell('unready')
  }

  /** Has all leave. Resolves with whether all was written. */
  async drain(times: DrainTimes): Promise<boolean> {
    this.#isLeaving = true
    const left = await Promise.all(
      this.#slots.map(async ({ worker, peer, hasBegun, state }) => {
        if (state === 'gone') return true
        const ended = eventOf(worker, 'exit')
        if (!hasBegun) {
          worker.kill('SIGKILL')
          await ended
          return true
        }
        const isWritten = await peer.ask('drain', times).catch(() => false)
        await ended
        return isWritten
      }),
    )
    return left.every(Boolean)
  }

  cut(): void {
    this.#isLeaving = true
    this.tell('cut')
  }

  async #begin(slot: number, failures: number, restarts = 0): Promise<void> {
    const { task, calls, out, err } = this.#ports
    const worker = fork(MODULE, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], serialization: 'advanced' })
    const { stdout, stderr } = worker
    if (stdout) relayLines(stdout, out)
    if (stderr) relayLines(stderr, err)
    let born = () => {}
    const isBorn = new Promise<void>((resolve, reject) => {
      born = resolve
      worker.once('exit', code => reject(new Error(`a worker ended with ${code}`)))
    })
    const peer = new Peer<WorkerCalls>(worker, { ...calls(slot), born })
    const begun = performance.now()
    const disconnected = eventOf(worker, 'disconnect')
    worker.once('exit', async (code, signal) => {
      // What it said last comes before its channel is closed, which with a connection on its way it may never be.
      await within(LAST_WORDS_MS, disconnected)
      peer.end()
      this.#ended(slot, worker, { code, signal, failures, begun, restarts })
    })
    const listening = isBorn.then(() => peer.ask('start', task(slot)))
    const present = new Slot(worker, peer, listening, restarts)
    present.watch(this.#ports.alarm)
    this.#slots[slot] = present
    await listening
    present.hasBegun = true
    this.#ports.ready(slot)
  }

  #ended(slot: number, worker: ChildProcess, { code, signal, failures, begun, restarts }: End): void {
    const { alarm, gone } = this.#ports
    const present = this.#slots[slot]
    // Another one has its place.
    if (present?.worker !== worker) return
    present.end()
    gone(slot)
    if (this.#isLeaving) return
    const again = performance.now() - begun < STEADY_MS ? failures + 1 : 0
    const wait = WAITS[Math.min(again, WAITS.length - 1)] ?? 0
    alarm('a worker ended; another one takes its place', { slot, ...(signal ? { signal } : { code }), inMs: wait })
    setTimeout(() => {
      if (this.#isLeaving) return
      this.#begin(slot, again, restarts + 1).catch(error =>
        alarm('a worker could not begin', { slot, error: String(error) }),
      )
    }, wait)
  }
}

/** A configuration that all workers have opened. */
export interface Prepared {
  /** Resolves once all of them serve it. */
  readonly commit: () => Promise<void>
  readonly abort: () => void
}

async function follow({ peer, listening }: Slot, generation: number, examined: Examined): Promise<void> {
  try {
    await listening
    await peer.ask('prepare', generation, examined)
    await peer.ask('commit', generation)
  } catch {
    // It ended: the next one begins with what serves now.
  }
}

/** The process that has a slot now. */
class Slot {
  readonly worker: ChildProcess
  readonly peer: Peer<WorkerCalls>
  readonly listening: Promise<void>
  readonly startedAt: EpochMs = Date.now()
  readonly restarts: number
  hasBegun = false
  /** When it last answered. */
  #heardAt = performance.now()
  #isTold = false
  #timer: NodeJS.Timeout | undefined

  constructor(worker: ChildProcess, peer: Peer<WorkerCalls>, listening: Promise<void>, restarts: number) {
    this.worker = worker
    this.peer = peer
    this.listening = listening
    this.restarts = restarts
  }

  get state(): WorkerState['state'] {
    const { exitCode, signalCode } = this.worker
    if (exitCode !== null || signalCode !== null || !this.peer.isThere) return 'gone'
    if (!this.hasBegun) return 'starting'
    return performance.now() - this.#heardAt > SILENT_MS ? 'silent' : 'serving'
  }

  /** Ends a worker that does not answer for a minute: what it holds is of no use. */
  watch(alarm: Alarm): void {
    this.#timer = setInterval(() => {
      const silent = performance.now() - this.#heardAt
      if (silent > KILLED_MS) this.worker.kill('SIGKILL')
      else if (silent > ALARMED_MS && !this.#isTold) {
        this.#isTold = true
        alarm('a worker does not answer', { pid: this.worker.pid })
      }
      this.peer.ask('ping').then(
        () => {
          this.#heardAt = performance.now()
          this.#isTold = false
        },
        () => {},
      )
    }, PING_MS)
    this.#timer.unref()
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

interface End {
  readonly code: number | null
  readonly signal: string | null
  readonly failures: number
  readonly begun: Millis
  readonly restarts: number
}

const LAST_WORDS_MS: Millis = 50
const PING_MS: Millis = 1000
/** One that answers no sooner gets no connections while another one does. */
const SILENT_MS: Millis = 3000
const ALARMED_MS: Millis = 15_000
const KILLED_MS: Millis = 60_000
/** What operators see waits no longer for a worker. */
export const ANSWER_MS: Millis = 250
/** A worker that served for so long did not fail at its start. */
const STEADY_MS: Millis = 10_000
const WAITS: readonly Millis[] = [0, 100, 400, 1600, 5000]

/** As this file is: of the sources, or of what is built of them. */
const MODULE = new URL(`worker-process${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)
