import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Examined } from '../../config/load.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { DrainTimes } from '../drain.ts'
import { within } from '../world.ts'
import { type MainCalls, PREPARE_MS, type WorkerCalls, type WorkerTask } from './calls.ts'
import { Peer } from './peer.ts'
import type { LineRelay } from './relay.ts'

export interface WorkersPorts {
  readonly count: number
  /** What a worker begins with now. */
  readonly task: (slot: number) => WorkerTask
  /** What a worker of a slot may call. */
  readonly calls: (slot: number) => Omit<MainCalls, 'born'>
  /** A worker serves from now on. */
  readonly ready: () => void
  /** A worker ended: what it held is free. */
  readonly gone: (slot: number) => void
  readonly out: LineRelay
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

  /** The next worker in the row that serves; undefined while there is none. */
  next(): ChildProcess | undefined {
    for (let tries = 0; tries < this.#slots.length; tries++) {
      const slot = this.#slots[this.#turn++ % this.#slots.length]
      if (slot?.listens && slot.peer.isThere) return slot.worker
    }
    return undefined
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
    const slots = this.#slots.filter(({ peer, listens }) => listens && peer.isThere)
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

  /** What each worker says, by slot; `otherwise` of those that do not say it in time. */
  askAll<Answer>(ask: (peer: Peer<WorkerCalls>) => Promise<Answer>, otherwise: Answer): Promise<readonly Answer[]> {
    const asked = this.#slots.map(({ peer }) => ask(peer).catch(() => otherwise))
    return Promise.all(asked.map(async each => ((await within(ANSWER_MS, each)) ? each : otherwise)))
  }

  /** Has all leave. Resolves with whether all was written. */
  async drain(times: DrainTimes): Promise<boolean> {
    this.#isLeaving = true
    const left = await Promise.all(
      this.#slots.map(async ({ worker, peer }) => {
        const ended = once(worker, 'exit')
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

  async #begin(slot: number, failures: number): Promise<void> {
    const { task, calls, out } = this.#ports
    const worker = fork(MODULE, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], serialization: 'advanced' })
    const { stdout, stderr } = worker
    if (stdout) out.follow(stdout)
    if (stderr) stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk))
    let born = () => {}
    const isBorn = new Promise<void>((resolve, reject) => {
      born = resolve
      worker.once('exit', code => reject(new Error(`a worker ended with ${code}`)))
    })
    const peer = new Peer<WorkerCalls>(worker, { ...calls(slot), born })
    const begun = performance.now()
    worker.once('exit', (code, signal) => this.#ended(slot, worker, { code, signal, failures, begun }))
    const listening = isBorn.then(() => peer.ask('start', task(slot)))
    const present: Slot = {
      worker,
      peer,
      listening,
      watch: watchPulse(peer, worker, this.#ports.alarm),
      listens: false,
    }
    this.#slots[slot] = present
    await listening
    present.listens = true
    this.#ports.ready()
  }

  #ended(slot: number, worker: ChildProcess, { code, signal, failures, begun }: End): void {
    const { alarm, gone } = this.#ports
    this.#slots[slot]?.watch()
    gone(slot)
    if (this.#isLeaving || this.#slots[slot]?.worker !== worker) return
    const again = performance.now() - begun < STEADY_MS ? failures + 1 : 0
    const wait = WAITS[Math.min(again, WAITS.length - 1)] ?? 0
    alarm('a worker ended; another one takes its place', { slot, ...(signal ? { signal } : { code }), inMs: wait })
    setTimeout(() => {
      if (this.#isLeaving) return
      this.#begin(slot, again).catch(error => alarm('a worker could not begin', { slot, error: String(error) }))
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

interface Slot {
  readonly worker: ChildProcess
  readonly peer: Peer<WorkerCalls>
  /** Ends the watch. */
  readonly watch: () => void
  readonly listening: Promise<void>
  listens: boolean
}

interface End {
  readonly code: number | null
  readonly signal: string | null
  readonly failures: number
  readonly begun: Millis
}

/** Ends a worker that does not answer for a minute: what it holds is of no use. */
function watchPulse(peer: Peer<WorkerCalls>, worker: ChildProcess, alarm: Alarm): () => void {
  let heardAt = performance.now()
  let isTold = false
  const timer = setInterval(() => {
    const silent = performance.now() - heardAt
    if (silent > KILLED_MS) worker.kill('SIGKILL')
    else if (silent > ALARMED_MS && !isTold) {
      isTold = true
      alarm('a worker does not answer', { pid: worker.pid })
    }
    peer.ask('ping').then(
      () => {
        heardAt = performance.now()
        isTold = false
      },
      () => {},
    )
  }, PING_MS)
  timer.unref()
  return () => clearInterval(timer)
}

const PING_MS: Millis = 1000
const ALARMED_MS: Millis = 15_000
const KILLED_MS: Millis = 60_000
/** What operators see waits no longer for a worker. */
const ANSWER_MS: Millis = 250
/** A worker that served for so long did not fail at its start. */
const STEADY_MS: Millis = 10_000
const WAITS: readonly Millis[] = [0, 100, 400, 1600, 5000]

/** As this file is: of the sources, or of what is built of them. */
const MODULE = new URL(`worker-process${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)
