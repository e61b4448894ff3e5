import { durationText } from '../../../config/check/units.ts'
import type { BackendSettings, Timeouts } from '../../../config/settings.ts'
import type { Pool } from '../../../policy/config.ts'
import type { Section } from './config.ts'
import { shownPrices } from './policy.ts'
import { COVERED, shownUsd } from './units.ts'

/** A pool, and how its replicas are spoken to. */
export function shownPool({ site, replicas, model }: Pool, backend: BackendSettings | undefined): Section {
  const pool = { site, replicas, model }
  if (!backend) return pool
  const { key, context, maxConcurrent, probe, eject } = backend
  return {
    ...pool,
    ...(key && { key: COVERED }),
    ...(context !== undefined && { context }),
    ...(maxConcurrent !== undefined && {
      max_concurrent: maxConcurrent,
      // Without a maximum nothing waits.
      queue_timeout: durationText(backend.queueTimeout),
    }),
    ...costOf(backend),
    ...timeoutsOf(backend),
    wait_for_retry_after: durationText(backend.waitForRetryAfter),
    eject: { after: eject.after, for: durationText(eject.for) },
    probe: probe ? { path: probe.path, every: durationText(probe.every) } : false,
  }
}

function costOf({ cost, maxNanoUsdPerHour }: BackendSettings): Section {
  if (!cost) return {}
  const { item } = cost
  return {
    ...((item === undefined || cost.input > 0 || cost.output > 0) && { cost_usd_per_1m: shownPrices(cost) }),
    ...(item !== undefined && { cost_usd_per_image: shownUsd(item) }),
    ...(maxNanoUsdPerHour !== undefined && { max_usd_per_hour: shownUsd(maxNanoUsdPerHour) }),
  }
}

const timeoutsOf = (timeouts: Timeouts): Section => ({
  connect_timeout: durationText(timeouts.connectTimeout),
  headers_timeout: durationText(timeouts.headersTimeout),
  first_content_timeout: durationText(timeouts.firstContentTimeout),
  idle_timeout: durationText(timeouts.idleTimeout),
  stream_timeout: durationText(timeouts.streamTimeout),
  answer_timeout: durationText(timeouts.answerTimeout),
})
