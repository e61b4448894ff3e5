import type { Millis } from '../../policy/config.ts'
import type { Member, Unreached } from '../../wire/admin/fleet.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import type { Fleet } from './fleet.ts'

/** Asks another gateway of the fleet, over its admin listener. Never rejects: one that cannot be asked is named with the reason. */
export type AskPeer = (member: Pick<Member, 'admin'>, question: PeerQuestion) => Promise<PeerAnswer>

export interface PeerQuestion {
  readonly method: 'GET' | 'POST'
  /** With its query. */
  readonly path: string
  readonly body?: object
  /** So long it may take to answer. */
  readonly patience: Millis
}

/** The JSON of its answer, or why there is none. */
export type PeerAnswer = { readonly status: number; readonly body: JsonObject } | { readonly problem: string }

/** Reads the events of another gateway as they come. Never rejects: resolves to the reason why nothing more comes. */
export type FollowPeer = (member: Pick<Member, 'admin'>, path: string, follower: PeerFollower) => Promise<string>

export interface PeerFollower {
  readonly signal: AbortSignal
  /** It answers: what happens there from now on is heard. */
  readonly began: () => void
  /** Takes the JSON of an event. */
  readonly event: (json: string) => void
}

/** The means by which gateways of a fleet ask each other. */
export interface Peers {
  readonly ask: AskPeer
  readonly follow: FollowPeer
}

/** The answers of the fleet's gateways, and those that gave none. */
export interface PeerAnswers {
  readonly answers: readonly (readonly [Member, JsonObject])[]
  readonly unreached: readonly Unreached[]
}

/** The gateways of the fleet but this one: those that the store knows now, or knew last. */
export async function othersIn(fleet: Pick<Fleet, 'members' | 'self' | 'announceSoon'>): Promise<readonly Member[]> {
  await fleet.announceSoon()
  return fleet.members.filter(({ id }) => id !== fleet.self.id)
}

/** Asks gateways the same. One that answers with the status `none` has nothing to say, and counts as asked. */
export async function askAll(
  members: readonly Member[],
  askPeer: AskPeer,
  question: PeerQuestion,
  none?: number,
): Promise<PeerAnswers> {
  const asked = await Promise.all(members.map(async member => [member, await askPeer(member, question)] as const))
  const answers: (readonly [Member, JsonObject])[] = []
  const unreached: Unreached[] = []
  for (const [member, answer] of asked) {
    if ('problem' in answer) unreached.push({ gateway: member.name, problem: answer.problem })
    else if (answer.status === 200) answers.push([member, answer.body])
    else if (answer.status !== none) unreached.push({ gateway: member.name, problem: refusalOf(answer) })
  }
  return { answers, unreached }
}

/** The reason of a gateway that refuses a call. */
export const refusalOf = ({ status, body }: { readonly status: number; readonly body: JsonObject }): string =>
  typeof body.error === 'string' ? body.error : `it answers ${status}`
