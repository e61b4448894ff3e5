import type { Registry } from 'prom-client'
import { exposition } from '../../adapters/metrics/metrics.ts'
import { countsOfMetrics, jsonOf } from '../../adapters/metrics/series-counts.ts'
import { SeriesRecorder } from '../../gateway/series/recorder.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Exposition } from '../../http/health.ts'
import type { Millis } from '../../policy/config.ts'
import { SentMetrics } from '../sent-metrics.ts'
import { version } from '../version.ts'
import { within } from '../world.ts'
import type { Base } from './base.ts'
import type { OpenParts } from './open-parts.ts'
import { LAST_SPANS_MS } from './records.ts'

interface CountedPorts {
  readonly store: Pick<Store, 'series'>
  /** Name of the process in its log. */
  readonly name: string
  /** Metrics of all processes of the gateway. */
  readonly registries: () => Promise<readonly Registry[]>
  /** The id of this gateway in the fleet. */
  readonly gateway: () => string
}

/** Metrics of the gateway: exposed on request, sent to a collector, and kept as time series. */
export interface Counted {
  readonly metrics: () => Promise<Exposition>
  /** Writes what was counted up to now to the time series in the store. Never rejects. */
  readonly recordSeries: () => Promise<void>
  /** Begins to send and to record. */
  start(): void
}

export function openCounted(
  parts: OpenParts,
  { clock, alarm, serving }: Base,
  { store, name, registries, gateway }: CountedPorts,
): Counted {
  const sent = new SentMetrics({ name: 'svc-gateway', version, instance: name }, registries, alarm)
  const follow = () => sent.follow(serving.settings.metrics.otlp)
  serving.follow(follow)
  const count = async () => countsOfMetrics(await jsonOf(await registries()))
  const series = new SeriesRecorder({ clock, store: store.series, gateway, count })
  parts.addBeside({ close: async () => void (await within(LAST_SPANS_MS, sent.close())) })
  parts.add({ close: async () => void (await within(LAST_SERIES_MS, series.stop())) })
  return {
    metrics: async () => exposition(await registries()),
    recordSeries: () => series.record(),
    start: () => {
      follow()
      series.start()
    },
  }
}

/** Longest wait for the last counts at shutdown. */
const LAST_SERIES_MS: Millis = 1000
