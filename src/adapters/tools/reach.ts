import type { HttpToolSettings } from '../../config/settings.ts'
import { drop, Egress } from './egress.ts'
import { unreachable } from './failure.ts'

/** What the address of an HTTP tool answers to a question that has no effect: a status, or why there is none. */
export type Reached = { readonly status: number } | { readonly cause: string }

/** Asks which methods the address takes (RFC 9110 9.3.7), and does not call the tool. Never rejects. */
export async function reachTool({ url, key }: HttpToolSettings, signal: AbortSignal): Promise<Reached> {
  const egress = new Egress()
  const place = new URL(url)
  try {
    const target = { origin: place.origin, ...(key && { key }) }
    const answer = await egress.send(target, { method: 'OPTIONS', url: place, headers: {}, signal })
    drop(answer)
    return { status: answer.statusCode }
  } catch (error) {
    return { cause: signal.aborted ? 'timeout' : unreachable(error).detail }
  } finally {
    egress.close()
  }
}
