/** The start of a request, or the correction of one that ended, in the virtual time of its pool's queue. */
export interface Charge {
  readonly account: string
  /** Virtual time at which its requests began to wait in the process that charges it. */
  readonly floor: number
  /** Tokens by weight that the account is charged; below 0 where a request cost less than expected. */
  readonly work: number
  /** The weight of a request that starts; 0 in a correction. */
  readonly weight: number
  /** Whether the account still waits. */
  readonly waits: boolean
}

/** The accounts that wait. */
export interface Waiters {
  /** The sum of their weights. */
  readonly weight: number
  /** The tag of the one whose turn comes last. */
  readonly lastTag: number
}

/**
 * Virtual time after a start: at least the tag of the request. It also grows with the work that starts, by the weight of
 * those who wait, so that accounts which come without end do not hold up those that were there before.
 */
export function afterStart(
  virtual: number,
  tag: number,
  { work, weight }: Charge,
  waiters: Waiters | undefined,
): number {
  const reached = Math.max(virtual, tag)
  if (!waiters) return reached
  const grown = reached + (work * weight) / (waiters.weight + weight)
  return Math.max(reached, Math.min(grown, waiters.lastTag))
}

/**
 * Virtual time after a correction. It goes back with an account that waits and was charged too much: others that come now do
 * not wait until that account has used up the difference.
 */
export function afterCorrection(virtual: number, tag: number, { work, waits }: Charge): number {
  return work < 0 && waits && tag < virtual ? Math.max(tag, virtual + work) : virtual
}

/** The next request of a queue, as queues of several processes compare theirs. */
export interface QueueHead {
  /** The highest priority of a plan that waits. */
  readonly top: number
  /** The priority to which the request has risen, without that bound. */
  readonly risen: number
  readonly tag: number
  /** The distance by which its start moves the tag of its account. */
  readonly step: number
}

/** Whether one request goes before another by more than a lead, in tokens by weight. */
export function isAhead(one: QueueHead, other: QueueHead, lead = 0): boolean {
  const top = Math.max(one.top, other.top)
  const [priority, otherPriority] = [Math.min(top, one.risen), Math.min(top, other.risen)]
  return priority === otherPriority ? one.tag + lead < other.tag : priority > otherPriority
}
