/** An engine whose metrics a gateway reads. */
export type EngineName = keyof typeof METRICS_PATHS

/** Where each engine serves its metrics: a path from the root of the host. */
export const METRICS_PATHS = {
  vllm: '/metrics',
  sglang: '/metrics',
  llamacpp: '/metrics',
  tgi: '/metrics',
  trtllm: '/prometheus/metrics',
} as const
