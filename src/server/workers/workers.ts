import { type ChildProcess, fork } from 'node:child_process'
import type { Examined } from '../../config/load.ts'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { WorkerState } from '../../wire/admin/process.ts'
import type { DrainTimes } from '../drain.ts'
import type { LineOut } from '../log/line-out.ts'
import { within } from '../world.ts'
import { type Prepared, prepareInAll } from './all-workers.ts'
import type { MainCalls, WorkerCalls, WorkerTask } from './calls.ts'
import { eventOf, Peer } from './peer.ts'
import { relayLines } from './relay.ts'
import { Slot } from './slot.ts'

export interface WorkersPorts {
  readonly count: number
  /** The task of a worker that starts now. */
  readonly task: (slot: number) => WorkerTask
  /** The calls that a slot's worker may make. */
  readonly calls: (slot: number) => Omit<MainCalls, 'born'>
  /** A worker has started to serve. */
  readonly ready: (slot: number) => void
  /** A worker ended, and gave its slots back. */
  readonly gone: (slot: number) => void
  /** Receives the lines that workers print. */
  readonly out: LineOut
  readonly err: LineOut
  readonly alarm: Alarm
  readonly clock: Clock
  /** Starts the process of a worker. Throws, or the process emits `error`, if the machine has no room for it. */
  readonly fork: () => ChildProcess
  /** Pings a worker. Returns the handler of its answer; by then every earlier message has arrived, or never will. */
  readonly pinged: (slot: number) => () => void
}

/** The workers of a gateway, each in a slot. A worker that ends is replaced. */
export class Workers {
  readonly #ports: WorkersPorts
  /** Lacks an element for a slot whose first process could not start; `forEach` skips those. */
  readonly #slots: Slot[] = []
  #isLeaving = false
  #isUnready = false
  #turn = 0
  #attempts = 0
  /** Slots whose last worker failed to start. */
  readonly #failing = new Set<number>()
  /** The times of failed starts within the last minute. */
  #failedAt: readonly Millis[] = []
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(ports: WorkersPorts) {
    this.#ports = ports
  }

  /**
   * Starts all workers. Rejects if one cannot start, and ends the others. Exception: if a hanging process of the
   * previous gateway still holds a slot, the others serve while that slot waits.
   */
  async start(): Promise<void> {
    const { count } = this.#ports
    const taken = new Map<number, unknown>()
    const begin = (slot: number) =>
      this.#begin(slot, 0, 0).catch(error => {
        if (!isTaken(error)) throw error
        taken.set(slot, error)
      })
    try {
      await Promise.all(Array.from({ length: count }, (_, slot) => begin(slot)))
      if (taken.size === count) throw taken.get(0)
    } catch (error) {
      this.kill()
      throw error
    }
    for (const [slot, error] of taken) this.#tellFailure(slot, error)
  }

  get size(): number {
    return this.#slots.length
  }

  /**
   * The worker that gets the next connection: the serving one with the fewest connections, and among equals the next in
   * turn. A worker that does not respond gets it only if no other serves. Undefined if none serves.
   */
  next(inUseOf: (slot: number) => number): { readonly slot: number; readonly worker: ChildProcess } | undefined {
    const from = this.#turn++
    const inRow = this.#slots.map((_, index) => (from + index) % this.#slots.length)
    const slot = fewestOf(this.#inState('serving', inRow), inUseOf) ?? this.#inState('silent', inRow)[0]
    const worker = this.#slots[slot ?? -1]?.worker
    return slot === undefined || !worker ? undefined : { slot, worker }
  }

  /** The slots of serving workers. */
  get serving(): readonly number[] {
    return this.#inState(
      'serving',
      this.#slots.map((_, slot) => slot),
    )
  }

  #inState(state: WorkerState['state'], slots: readonly number[]): readonly number[] {
    return slots.filter(slot => this.#slots[slot]?.state === state)
  }

  get states(): readonly Omit<WorkerState, 'connections' | 'inFlight'>[] {
    return this.#slots.map(({ worker, state, startedAt, restarts }, slot) => ({
      ...{ worker: slot, pid: worker.pid ?? 0, state, startedAt, restarts },
    }))
  }

  tell<Name extends keyof WorkerCalls>(name: Name, ...args: Parameters<WorkerCalls[Name]>): void {
    this.#slots.forEach(({ peer }) => {
      peer.tell(name, ...args)
    })
  }

  tellOne<Name extends keyof WorkerCalls>(slot: number, name: Name, ...args: Parameters<WorkerCalls[Name]>): void {
    this.#slots[slot]?.peer.tell(name, ...args)
  }

  /** Sends a call to every worker except this one. */
  tellOthers<Name extends keyof WorkerCalls>(but: number, name: Name, ...args: Parameters<WorkerCalls[Name]>): void {
    this.#slots.forEach(({ peer }, slot) => {
      if (slot !== but) peer.tell(name, ...args)
    })
  }

  /** Has all workers open a configuration. Rejects if one refuses it or ends; then none serves it. */
  prepare(generation: number, examined: Examined, fingerprint: string): Promise<Prepared> {
    const attempt = ++this.#attempts
    return prepareInAll(
      () => this.#slots,
      { attempt, generation, examined, fingerprint },
      async (present, error) => {
        if (this.#isLeaving || present.state === 'gone') return
        const { pid } = present.worker
        this.#ports.alarm('a worker does not serve what the others do, and is ended', { pid, error: String(error) })
        present.kill()
        await present.ended
      },
    )
  }

  /** Asks each worker; the promised answers by slot. */
  askEach<Answer>(ask: (peer: Peer<WorkerCalls>) => Promise<Answer>): ReadonlyMap<number, Promise<Answer>> {
    const asked = new Map<number, Promise<Answer>>()
    // A slot without a process is skipped.
    this.#slots.forEach(({ peer }, slot) => {
      asked.set(slot, ask(peer))
    })
    return asked
  }

  /** Asks all workers; their answers in the order of slots, and `otherwise` for those that do not answer in time. */
  askAll<Answer>(
    ask: (peer: Peer<WorkerCalls>) => Promise<Answer>,
    otherwise: Answer,
    most = ANSWER_MS,
  ): Promise<readonly Answer[]> {
    const asked = [...this.askEach(peer => ask(peer).catch(() => otherwise)).values()]
    return Promise.all(asked.map(async each => ((await within(most, each)) ? each : otherwise)))
  }

  /** Announces that workers will be asked to leave soon. */
  leave(): void {
    this.#isUnready = true
    this.tell('unready')
  }

  /** Has all workers drain and leave. Resolves to whether everything was written. */
  async drain(times: DrainTimes): Promise<boolean> {
    this.#isLeaving = true
    const left = await Promise.all(
      this.#slots.map(async ({ worker, peer, hasBegun, state, ended }) => {
        if (state === 'gone') return true
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

  /** Ends workers that should have left: unresponsive ones at once, and those that still write after a while. */
  end(patience: Millis = LEAVING_MS): void {
    this.#isLeaving = true
    const left = this.#slots.filter(({ state }) => state !== 'gone')
    for (const present of left) if (patience <= 0 || present.state === 'silent') present.kill()
    if (left.length > 0) this.#ports.clock.after(LOOK_MS, () => this.end(patience - LOOK_MS))
  }

  /** Kills the remaining ones. */
  kill(): void {
    this.#isLeaving = true
    this.#slots.forEach(({ worker }) => {
      worker.kill('SIGKILL')
    })
  }

  /** Starts a worker, and a replacement once it ends. Rejects if it cannot start, after its process has ended. */
  async #begin(slot: number, failures: number, restarts: number): Promise<void> {
    const present = this.#fork(slot, restarts)
    const { worker, peer, listening } = present
    const disconnected = eventOf(worker, 'disconnect')
    const over = async (how: How) => {
      // Its last messages arrive before its channel closes. With a connection in transit the channel may never close.
      await within(LAST_WORDS_MS, disconnected)
      peer.end()
      this.#ended(slot, present, failures, how)
    }
    worker.once('exit', (code, signal) => over(signal ? { signal } : { code }))
    // The only event of a process that the machine could not start.
    worker.once('error', error => {
      if (worker.pid === undefined) void over({ error: String(error) })
      else if (!this.#isLeaving) present.kill()
    })
    this.#slots[slot] = present
    present.watch(this.#ports.alarm, () => this.#ports.pinged(slot))
    try {
      await listening
    } catch (error) {
      present.kill()
      throw error
    }
    present.begins()
    this.#failing.delete(slot)
    this.#ports.ready(slot)
  }

  #fork(slot: number, restarts: number): Slot {
    const { clock, task, calls, out, err } = this.#ports
    const worker = this.#ports.fork()
    const { stdout, stderr } = worker
    if (stdout) relayLines(stdout, out)
    if (stderr) relayLines(stderr, err)
    let born = () => {}
    const isBorn = new Promise<void>((resolve, reject) => {
      born = resolve
      worker.once('exit', code => reject(new Error(`a worker ended with ${code}`)))
      worker.once('error', reject)
    })
    const peer = new Peer<WorkerCalls>(worker, { ...calls(slot), born })
    if (this.#isUnready) peer.tell('unready')
    const listening = isBorn.then(() => peer.ask('start', task(slot)))
    return new Slot({ worker, peer, listening, restarts, clock })
  }

  #ended(slot: number, present: Slot, failures: number, how: How): void {
    const { alarm, gone } = this.#ports
    present.end()
    gone(slot)
    if (this.#isLeaving) return
    const again = present.servedFor < STEADY_MS ? failures + 1 : 0
    const inMs = waitAfter(again)
    // A worker that failed to start reports the reason itself.
    if (present.hasBegun) alarm('a worker ended; another one takes its place', { slot, ...how, inMs })
    this.#beginSoon(slot, again, present.restarts + 1)
  }

  #beginSoon(slot: number, failures: number, restarts: number): void {
    this.#ports.clock.after(waitAfter(failures), () => {
      if (this.#isLeaving) return
      const before = this.#slots[slot]
      this.#begin(slot, failures, restarts).catch(error => {
        this.#tellFailure(slot, error)
        // Without a process, no end of one triggers the next start.
        if (this.#slots[slot] === before) this.#beginSoon(slot, failures + 1, restarts)
      })
    })
  }

  /**
   * Alarms at the first failure, and then once a minute while failures continue: whatever they wait for may be away for
   * hours.
   */
  #tellFailure(slot: number, error: unknown): void {
    if (this.#isLeaving) return
    const now = this.#ports.clock.elapsed()
    this.#failedAt = [...this.#failedAt.filter(at => now - at < MINUTE_MS), now]
    const inLastMinute = this.#failedAt.length
    const isDue = inLastMinute >= MANY_FAILURES && now - this.#toldAt >= MINUTE_MS
    if (this.#failing.has(slot) && !isDue) return
    this.#failing.add(slot)
    if (isDue) this.#toldAt = now
    this.#ports.alarm('a worker could not begin, and is tried again', { slot, error: String(error), inLastMinute })
  }
}

function fewestOf(slots: readonly number[], inUseOf: (slot: number) => number): number | undefined {
  const [first, ...others] = slots
  if (first === undefined) return undefined
  return others.reduce((least, slot) => (inUseOf(slot) < inUseOf(least) ? slot : least), first)
}

/** Whether another process holds the slot's files. */
const isTaken = (error: unknown): boolean => error instanceof Error && 'taken' in error

/** How a process ended. */
type How = { readonly code: number | null } | { readonly signal: string } | { readonly error: string }

const LAST_WORDS_MS: Millis = 50
/** How long operators' pages wait for a worker. */
export const ANSWER_MS: Millis = 250
/** A worker that served for this long did not fail at its start. */
const STEADY_MS: Millis = 10_000
/** The delay before the next start, by the number of consecutive early ends. */
const WAITS: readonly Millis[] = [0, 100, 400, 1600, 5000]
const waitAfter = (failures: number): Millis => WAITS[Math.min(failures, WAITS.length - 1)] ?? 0
const MANY_FAILURES = 5
const MINUTE_MS: Millis = 60_000
/** Covers everything that a worker does on its way out once its requests are cut. */
const LEAVING_MS: Millis = 12_000
const LOOK_MS: Millis = 1000

/** Starts the process of a worker. */
export const forkWorker = (): ChildProcess =>
  fork(MODULE, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], serialization: 'advanced' })

/** From the sources or the compiled files, like this one. */
const MODULE = new URL(`worker-process${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)
