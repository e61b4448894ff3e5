import type { HttpCall } from './call.ts'
import type { App } from './endpoint.ts'
import { UNCACHED } from './keys.ts'

/** GET /metrics: what this process counted since its start. */
export async function showMetrics({ metrics }: App, call: HttpCall): Promise<void> {
  const { type, text } = await metrics()
  call.send(200, type, Buffer.from(text), UNCACHED)
}
