import { durationText } from './model/units.ts'
import type { QueueSettings } from './settings.ts'

/** A queue as the files would write it, with all its fields; `sizeText` writes bytes. */
export const queueFields = (
  queue: QueueSettings,
  sizeText: (bytes: number) => unknown,
): Readonly<Record<string, unknown>> => ({
  max: queue.max,
  of_account: queue.ofAccount,
  bytes: sizeText(queue.bytes),
  timeout: durationText(queue.timeout),
  before_next: durationText(queue.beforeNext),
  aging: durationText(queue.aging),
  comments: queue.comments,
})
