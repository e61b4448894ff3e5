import type { Millis } from '../../policy/config.ts'
import type { Member } from '../../wire/admin/fleet.ts'
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

/** A gateway that could not be asked. */
export interface Unreached {
  readonly gateway: string
  readonly problem: string
}

/** Asks all other gateways of the fleet the same: those that the store knows now, or knew last. */
export async function askOthers(
  fleet: Pick<Fleet, 'members' | 'self' | 'announceSoon'>,
  askPeer: AskPeer,
  question: PeerQuestion,
): Promise<{ readonly answers: readonly (readonly [Member, JsonObject])[]; readonly unreached: readonly Unreached[] }> {
  await fleet.announceSoon()
  const others = fleet.members.filter(({ id }) => id !== fleet.self.id)
  const asked = await Promise.all(others.map(async member => [member, await askPeer(member, question)] as const))
  const answers: (readonly [Member, JsonObject])[] = []
  const unreached: Unreached[] = []
  for (const [member, answer] of asked) {
    if ('problem' in answer) unreached.push({ gateway: member.name, problem: answer.problem })
    else if (answer.status === 200) answers.push([member, answer.body])
    else unreached.push({ gateway: member.name, problem: refusalOf(answer) })
  }
  return { answers, unreached }
}

/** What a gateway that does not do what it was asked says of that. */
export const refusalOf = ({ status, body }: { readonly status: number; readonly body: JsonObject }): string =>
  typeof body.error === 'string' ? body.error : `it answers ${status}`
