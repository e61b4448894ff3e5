import { hash } from 'node:crypto'
import type { EpochMs } from '../../policy/config.ts'
import type { NoticeRule } from '../../policy/limits/notice-rule.ts'
import { type Crossing, targetsOf } from '../../policy/notices.ts'
import type { Delivery, Notice, NoticeEvent } from '../../records/notice.ts'

/** The notice of a crossing, with a delivery for each target that the files name for it. */
export function noticeOf(crossing: Crossing, rules: readonly NoticeRule[]): Notice {
  const { name, percent, used, at, end, about } = crossing
  const deliveries = Array.from(targetsOf(rules, crossing), ([target, own]) => waiting(target, own))
  return {
    id: noticeId(`${name} ${percent}`),
    at,
    event: { kind: 'limit', percent, used, resetAt: end, limit: about },
    deliveries,
  }
}

/** The notice of an event that happens once, under a name of its own; undefined where the files have no target for it. */
export function eventNotice(
  { name, at, event }: { readonly name: string; readonly at: EpochMs; readonly event: NoticeEvent },
  targets: ReadonlySet<string>,
): Notice | undefined {
  if (targets.size === 0) return undefined
  return { id: noticeId(name), at, event, deliveries: Array.from(targets, target => waiting(target)) }
}

/** A delivery that was not tried yet. */
export const waiting = (target: string, percent?: number): Delivery => ({
  target,
  state: 'waiting',
  ...(percent !== undefined && { percent }),
  tries: 0,
})

/** The id of the notice about a thing of this name. */
export const noticeId = (name: string): string => `ntc_${hash('sha256', name).slice(0, 32)}`

/** Whether a delivery of it waits. */
export const waits = ({ deliveries }: Notice): boolean => deliveries.some(({ state }) => state === 'waiting')

/** The notice with its failed deliveries, or those to one target, waiting again. */
export const again = (notice: Notice, target?: string): Notice => ({
  ...notice,
  deliveries: notice.deliveries.map(delivery =>
    delivery.state === 'delivered' || (target !== undefined && delivery.target !== target)
      ? delivery
      : waitingAgain(delivery),
  ),
})

const waitingAgain = ({ refusals: _refusals, dueAt: _dueAt, ...delivery }: Delivery): Delivery => ({
  ...delivery,
  state: 'waiting',
  tries: 0,
})
