import { Counter, Gauge, Registry } from 'prom-client'
import type { Counted } from '../../adapters/metrics/merged.ts'
import type { Millis } from '../../policy/config.ts'
import type { Vitals } from '../../wire/admin/process.ts'
import { cpuSeconds, processLoad } from '../process-load.ts'

export interface ProcessMetrics {
  readonly counted: Counted
  readonly vitals: Vitals
  /** Requests that were admitted and not yet settled. */
  readonly underWay: number
}

/** Watches the vitals of this process from now on. Those of the last second are the same for all that read them meanwhile. */
export function vitalsReader(): () => Vitals {
  const load = processLoad()
  let ofLastSecond = { cores: 0, lagSeconds: 0 }
  const look = () => {
    const { lagMs, cpuRatio } = load()
    ofLastSecond = { cores: cpuRatio, lagSeconds: lagMs / 1000 }
  }
  setInterval(look, LOOK_MS).unref()
  return () => ({ ...ofLastSecond, cpuSeconds: cpuSeconds(), residentBytes: process.memoryUsage.rss() })
}

const LOOK_MS: Millis = 1000

/** The vitals of the processes that main started, by the name of each: a worker by its number, and `store`. */
export class VitalsMetrics {
  readonly registry = new Registry()
  readonly #known = new Map<string, Vitals>()
  /** Processor time of processes that ended, so that the counter never falls. */
  readonly #before = new Map<string, number>()

  constructor() {
    const [registers, labelNames] = [[this.registry], ['worker']]
    const [known, before] = [this.#known, this.#before]
    new Counter({
      name: 'svc_worker_cpu_seconds_total',
      help: 'Processor time of a worker, by its number, or of the store process.',
      registers,
      labelNames,
      collect() {
        this.reset()
        for (const [worker, seconds] of before) this.inc({ worker }, seconds)
        for (const [worker, { cpuSeconds }] of known) this.inc({ worker }, cpuSeconds)
      },
    })
    const gauge = (name: string, help: string, of: (vitals: Vitals) => number) =>
      new Gauge({
        ...{ name, help, registers, labelNames },
        collect() {
          this.reset()
          for (const [worker, vitals] of known) this.set({ worker }, of(vitals))
        },
      })
    const whose = 'of a worker, or of the store process'
    gauge('svc_worker_resident_bytes', `Memory ${whose}.`, ({ residentBytes }) => residentBytes)
    gauge('svc_worker_lag_seconds', `Delay of the event loop ${whose}.`, ({ lagSeconds }) => lagSeconds)
  }

  of(worker: string): Vitals | undefined {
    return this.#known.get(worker)
  }

  know(worker: string, vitals: Vitals): void {
    this.#known.set(worker, vitals)
  }

  /** Its process ended. */
  end(worker: string): void {
    const { cpuSeconds = 0 } = this.#known.get(worker) ?? {}
    this.#known.delete(worker)
    this.#before.set(worker, (this.#before.get(worker) ?? 0) + cpuSeconds)
  }
}
