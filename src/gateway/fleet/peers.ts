import type { Millis } from '../../policy/config.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import type { Member } from '../store/fleet-store.ts'

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

/** What a gateway that does not do what it was asked says of that. */
export const refusalOf = ({ status, body }: { readonly status: number; readonly body: JsonObject }): string =>
  typeof body.error === 'string' ? body.error : `it answers ${status}`
