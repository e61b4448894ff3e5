import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Clock } from '../../../src/gateway/ports.ts'
import type { Client } from '../../../src/server/workers/acceptor.ts'
import type { WorkerCalls } from '../../../src/server/workers/calls.ts'
import { Workers, type WorkersPorts } from '../../../src/server/workers/workers.ts'

type Answers = { readonly [Name in keyof WorkerCalls]?: (...args: Parameters<WorkerCalls[Name]>) => unknown }
type Told = { readonly name: string; readonly args: readonly unknown[] }

/** The process of a worker as main sees it: what it is asked, it answers as it is told here, or as one that is well. */
export class FakeWorker extends EventEmitter {
  readonly pid: number | undefined
  readonly stdout = null
  readonly stderr = null
  connected = true
  exitCode: number | null = null
  signalCode: string | null = null
  /** Main's messages and questions, in order. */
  readonly told: Told[] = []
  answers: Answers

  constructor(pid: number | undefined, answers: Answers = {}) {
    super()
    this.pid = pid
    this.answers = answers
    if (pid !== undefined) setImmediate(() => this.say('born'))
  }

  get process(): ChildProcess {
    return this as unknown as ChildProcess
  }

  say(tell: string, ...args: readonly unknown[]): void {
    this.emit('message', { tell, args })
  }

  /** With a connection it is the acceptor that says something. */
  send(message: Client | Tell | Asked, _socket?: unknown, _options?: unknown, sent?: (error: null) => void): void {
    if ('client' in message) {
      sent?.(null)
      this.emit('handed', message)
    } else if ('tell' in message) this.told.push({ name: message.tell, args: message.args })
    else void this.#answer(message)
  }

  async #answer({ ask, number, args }: Asked): Promise<void> {
    this.told.push({ name: ask, args })
    const answer = this.answers[ask as keyof WorkerCalls] as ((...args: readonly unknown[]) => unknown) | undefined
    try {
      this.emit('message', { answer: await answer?.(...args), number })
    } catch (error) {
      this.emit('message', {
        failed: { name: 'Error', message: String(error), fields: { ...(error as object) } },
        number,
      })
    }
  }

  kill(signal: string): boolean {
    this.ends(null, signal)
    return true
  }

  /** Its process is no more. */
  ends(code: number | null, signal: string | null): void {
    if (!this.connected) return
    this.connected = false
    this.exitCode = code
    this.signalCode = signal
    queueMicrotask(() => {
      this.emit('disconnect')
      this.emit('exit', code, signal)
    })
  }
}

interface Tell {
  readonly tell: string
  readonly args: readonly unknown[]
}

interface Asked {
  readonly ask: string
  readonly number: number
  readonly args: readonly unknown[]
}

/** Never answers. */
export const silence = (): Promise<never> => new Promise(() => {})

/** Time as a process has it that may be stopped: what became due meanwhile runs once, when it goes on. */
class StoppedClock implements Clock {
  #at = 0
  #timers: { readonly at: number; readonly run: () => void }[] = []

  readonly now = (): number => this.#at
  readonly elapsed = (): number => this.#at
  readonly after = (time: number, run: () => void): (() => void) => {
    const timer = { at: this.#at + time, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer)
    }
  }

  /** Goes on after so long, and resolves once what that caused is over. */
  async goOn(ms: number): Promise<void> {
    this.#at += ms
    const due = this.#timers.filter(({ at }) => at <= this.#at)
    this.#timers = this.#timers.filter(({ at }) => at > this.#at)
    for (const { run } of due) run()
    await settled()
  }
}

/** Some turns of the loop later: the messages of this process, and what follows of them, are over. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

/** Workers of main, each of which `fork` makes. */
export function workersOf(count: number, fork: (number: number) => FakeWorker) {
  const clock = new StoppedClock()
  const alarms: string[] = []
  const forked: FakeWorker[] = []
  const relay = { write: () => {}, dropped: 0, flush: async () => {} }
  const ports: WorkersPorts = {
    ...{ count, clock, out: relay, err: relay },
    task: slot => ({ slot }) as never,
    calls: () => ({}) as never,
    ready: () => {},
    gone: () => {},
    pinged: () => () => {},
    alarm: (message, fields) => alarms.push(`${message}: ${String(fields?.error ?? '')}`),
    fork: () => {
      const worker = fork(forked.length)
      forked.push(worker)
      return worker.process
    },
  }
  const workers = new Workers(ports)
  return { workers, clock, alarms, forked, states: () => workers.states.map(({ state }) => state) }
}
