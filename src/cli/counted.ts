import type { CountedRequest } from '../adapters/metrics/metrics.ts'
import type { LogEntry } from '../http/server.ts'
import { modelOf } from '../http/traced-end.ts'
import type { Config } from '../policy/config.ts'

/** A request as it is counted: by names of the files alone. */
export function countedOf(entry: LogEntry, config: Config): CountedRequest {
  const { asked, interrupted, model: _, ...counted } = entry
  const model = modelOf(entry, config)
  return {
    ...counted,
    isInference: asked !== undefined,
    ...(model !== undefined && { model }),
    ...(interrupted !== undefined && { interrupted: true }),
  }
}
