import { unitOf } from '../check/units.ts'
import type { ConfigFile } from '../file.ts'
import type { Secret, Settings } from '../settings.ts'
import { DEFAULTS } from './defaults.ts'

/** What logs, metrics and traces need that the files do not hold: the token that reads metrics, and headers by name. */
export interface SeeingSecrets {
  readonly metrics?: Secret
  readonly traces: ReadonlyMap<string, Secret>
}

/** How the gateway lets operators see inside. */
export function seeingOf(
  { log = {}, metrics = {}, traces }: Pick<ConfigFile, 'log' | 'metrics' | 'traces'>,
  secrets: SeeingSecrets,
): Pick<Settings, 'log' | 'metrics' | 'traces'> {
  const settings = {
    log: { format: log.format ?? DEFAULTS.log.format, level: log.level ?? DEFAULTS.log.level },
    metrics: { public: metrics.public ?? DEFAULTS.metricsPublic, ...(secrets.metrics && { token: secrets.metrics }) },
  }
  if (!traces) return settings
  const { endpoint, sample } = traces
  const perMillion = unitOf('share', sample ?? DEFAULTS.sample)
  return { ...settings, traces: { endpoint: endpoint.replace(/\/+$/, ''), perMillion, headers: secrets.traces } }
}
