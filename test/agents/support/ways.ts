import { type Dialect, PATHS } from '../model/model.ts'
import type { Way } from './rig.ts'

/** Where the backend is asked by a client of a dialect. */
export function pathOf(way: Way, dialect: Dialect = 'chat'): string {
  if (way === 'native') return PATHS[dialect]
  if (way === 'to-responses') return PATHS.responses
  return way === 'to-messages' ? PATHS.messages : PATHS.chat
}

/** Without those by which a client of the dialect gets its answer as by another one: a pool that speaks the dialect is native to it. */
export const distinctWays = (dialect: Dialect, ways: readonly Way[]): readonly Way[] =>
  ways.filter(way => way !== SAME_AS_ANOTHER[dialect])

const SAME_AS_ANOTHER: Readonly<Record<Dialect, Way>> = {
  chat: 'native',
  responses: 'to-responses',
  messages: 'to-messages',
}
