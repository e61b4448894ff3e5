import type { BackendSettings, LoadSettings } from '../../config/settings.ts'
import type { EpochMs, Millis } from '../../policy/time.ts'
import { MalformedSample } from '../../wire/prometheus-text.ts'
import { exchangeOnce } from '../health/exchange-once.ts'
import { type PoolHeaders, poolHeaders, withQuery } from '../pools/headers.ts'
import type { Cancel, Clock, Probe } from '../ports.ts'
import { EngineMetricsReader, type EngineReading } from './engine-metrics.ts'

/** Result of one reading. */
export type LoadResult = { readonly at: EpochMs } & (
  | { readonly reading: EngineReading }
  /** Why there is none: `status 404`, `ECONNREFUSED`, `timeout`, `vllm:num_requests_waiting is NaN`. */
  | { readonly error: string }
)

export interface ReadLoadPorts {
  readonly probe: Probe
  readonly clock: Clock
}

/** Which replica is read, and how its pool is spoken to. */
export interface LoadTarget {
  readonly replica: string
  readonly load: LoadSettings
  readonly settings: Pick<BackendSettings, keyof PoolHeaders | 'query' | 'connectTimeout'>
}

/** The longest that one reading may take. */
const LONGEST: Millis = 2000
/** vLLM's page has some 100 KB; a larger one is cut off and counts as unreadable. */
const MOST_BYTES = 4_194_304

/** Where a replica serves its metrics: on its own host, if need be on another port. */
function loadAddress(replica: string, { url }: LoadSettings): { readonly origin: string; readonly path: string } {
  const [, port, path = '/'] = /^(?::(\d+))?(\/.*)$/.exec(url) ?? []
  const { protocol, hostname, origin } = new URL(replica)
  return { origin: port === undefined ? origin : `${protocol}//${hostname}:${port}`, path }
}

/**
 * Reads the load of one replica once. Redirects are not followed, and nothing that an engine sends costs more than
 * `MOST_BYTES` and `LONGEST`. `over` gets the result unless the reading was called off.
 */
export function readLoad(
  { probe, clock }: ReadLoadPorts,
  { replica, load, settings }: LoadTarget,
  over: (result: LoadResult) => void,
): Cancel {
  const { connectTimeout } = settings
  const { origin, path } = loadAddress(replica, load)
  const request = { origin, path: withQuery(path, settings), headers: poolHeaders(settings), connectTimeout }
  let reader = new EngineMetricsReader(load.from)
  let bytes = 0
  let problem: string | undefined
  const at = clock.now()
  const stop = exchangeOnce(
    clock,
    {
      connectTimeout,
      limit: LONGEST,
      send: (fresh, listener) => {
        reader = new EngineMetricsReader(load.from)
        bytes = 0
        return probe({ ...request, fresh }, listener)
      },
      data: piece => {
        bytes += piece.length
        problem ??= bytes > MOST_BYTES ? `more than ${MOST_BYTES} bytes` : problemIn(() => reader.read(piece))
        if (problem === undefined) return
        stop()
        over({ at, error: problem })
      },
    },
    ({ head, cause }) => {
      if (cause !== undefined) return over({ at, error: cause })
      if (head?.status !== 200) return over({ at, error: `status ${head?.status}` })
      let reading: EngineReading | undefined
      const error = problemIn(() => {
        reading = reader.end()
      })
      over(reading ? { at, reading } : { at, error: error ?? 'no metrics' })
    },
  )
  return stop
}

/** The message of a text that cannot be read; any other error is ours. */
function problemIn(read: () => void): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof MalformedSample) return error.message
    throw error
  }
}
