import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { UNCACHED } from '../public/keys.ts'

/** GET /metrics: what this process counted since its start. */
export async function showMetrics({ metrics }: App, call: HttpCall): Promise<void> {
  const { type, text } = await metrics()
  call.send(200, type, Buffer.from(text), UNCACHED)
}
