import type { ChildProcess } from 'node:child_process'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { WorkerState } from '../../wire/admin/process.ts'
import type { WorkerCalls } from './calls.ts'
import { eventOf, type Peer } from './peer.ts'

interface SlotParts {
  readonly worker: ChildProcess
  readonly peer: Peer<WorkerCalls>
  /** Resolves once it may be handed connections; rejects where it cannot begin. */
  readonly listening: Promise<void>
  readonly restarts: number
  readonly clock: Clock
}

/** The process that has a slot now. */
export class Slot {
  readonly worker: ChildProcess
  readonly peer: Peer<WorkerCalls>
  readonly listening: Promise<void>
  readonly startedAt: EpochMs
  readonly restarts: number
  /** Resolves once its process has ended. */
  readonly ended: Promise<unknown>
  readonly #clock: Clock
  #servesSince: Millis | undefined
  #isKilled = false
  /** Pings without an answer, the last ones in a row. */
  #unanswered = 0
  #stop = () => {}

  constructor({ worker, peer, listening, restarts, clock }: SlotParts) {
    this.worker = worker
    this.peer = peer
    this.listening = listening
    this.restarts = restarts
    this.#clock = clock
    this.startedAt = clock.now()
    this.ended = eventOf(worker, 'exit')
  }

  get state(): WorkerState['state'] {
    const { exitCode, signalCode } = this.worker
    if (this.#isKilled || exitCode !== null || signalCode !== null || !this.peer.isThere) return 'gone'
    if (!this.hasBegun) return 'starting'
    return this.#unanswered > SILENT ? 'silent' : 'serving'
  }

  get hasBegun(): boolean {
    return this.#servesSince !== undefined
  }

  /** For how long it served. */
  get servedFor(): Millis {
    return this.#servesSince === undefined ? 0 : this.#clock.elapsed() - this.#servesSince
  }

  begins(): void {
    this.#servesSince = this.#clock.elapsed()
  }

  /** It gets no connection from now on. */
  kill(): void {
    this.#isKilled = true
    this.worker.kill('SIGKILL')
  }

  /**
   * Pings the worker every second, and kills one that does not answer for a minute. It counts unanswered pings instead of reading
   * a clock: a main that was itself suspended for a minute sends one ping when it resumes.
   */
  watch(alarm: Alarm, pinged: () => () => void): void {
    const ping = () => {
      this.#stop = this.#clock.after(PING_MS, ping)
      if (this.#unanswered >= KILLED) this.kill()
      else if (this.#unanswered === ALARMED) alarm('a worker does not answer', { pid: this.worker.pid })
      this.#unanswered++
      const heard = pinged()
      this.peer.ask('ping').then(
        () => {
          this.#unanswered = 0
          heard()
        },
        () => {},
      )
    }
    this.#stop = this.#clock.after(PING_MS, ping)
  }

  /** Its process has ended. */
  end(): void {
    this.#stop()
  }
}

const PING_MS: Millis = 1000
/** One that left more pings unanswered gets no connections while another one does. */
const SILENT = 3
const ALARMED = 15
const KILLED = 60
