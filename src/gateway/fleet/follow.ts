import type { Millis } from '../../policy/config.ts'
import type { Member } from '../../wire/admin/fleet.ts'
import type { Cancel, Clock } from '../ports.ts'
import { every } from '../timers.ts'
import type { FollowPeer } from './peers.ts'

interface FollowPorts {
  readonly clock: Clock
  readonly followPeer: FollowPeer
  /** Those that are to be followed, as the store knows them now. */
  readonly members: () => readonly Member[]
  /** Where their events are, with its query. */
  readonly path: string
}

interface Listener {
  readonly event: (gateway: string, json: string) => void
  /** Its events are missing from now on, because of this problem; without one, they come again. */
  readonly changed: (gateway: string, problem?: string) => void
}

/** Follows other gateways until it is called off: those that come later too, and those that do not answer once they do. */
export function followAll({ clock, followPeer, members, path }: FollowPorts, { event, changed }: Listener): Cancel {
  const stop = new AbortController()
  const { signal } = stop
  const running = new Set<string>()
  /** The last problem reported of each gateway that cannot be followed. */
  const problems = new Map<string, string>()

  const follow = async (member: Member) => {
    const { id, name } = member
    running.add(id)
    const began = () => {
      if (problems.delete(id)) changed(name)
    }
    const problem = await followPeer(member, path, { signal, began, event: json => event(name, json) })
    running.delete(id)
    if (signal.aborted || problems.get(id) === problem) return
    problems.set(id, problem)
    changed(name, problem)
  }
  const look = async () => {
    const now = members()
    for (const id of problems.keys()) if (now.every(member => member.id !== id)) problems.delete(id)
    for (const member of now) if (!running.has(member.id)) void follow(member)
  }
  void look()
  const cancel = every(clock, PERIOD, look)
  return () => {
    cancel()
    stop.abort()
  }
}

/** So soon a gateway that began, or answers again, is followed. */
const PERIOD: Millis = 1000
