import type { Alarm } from '../../gateway/ports.ts'
import type { ToolFailure } from './failure.ts'

/** Tells the operator what is wrong, once as long as it fails alike, and with undefined that it works again. */
export type Complain = (failure: ToolFailure | undefined) => void

export function complainer(
  alarm: Alarm,
  { wrong, right }: { readonly wrong: string; readonly right: string },
  details: Readonly<Record<string, unknown>>,
): Complain {
  let told: string | undefined
  return failure => {
    // One outage breaks sockets in many ways, so that details differ.
    if (failure?.message === told) return
    told = failure?.message
    if (failure) alarm(wrong, { ...details, cause: failure.detail })
    else alarm(right, details)
  }
}
