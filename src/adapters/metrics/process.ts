import { collectDefaultMetrics, Registry } from 'prom-client'

/** Memory, processor time, garbage collection and the event loop of this process: `svc_process_…`, `svc_nodejs_…`. To be called once. */
export function processMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'svc_' })
  return registry
}
