import { type Dialect, PATHS } from '../model/model.ts'
import type { Way } from './rig.ts'

/** Where the backend is asked by a client of a dialect. */
export function pathOf(way: Way, dialect: Dialect = 'chat'): string {
  if (way === 'native') return PATHS[dialect]
  if (way === 'to-responses') return PATHS.responses
  return way === 'to-messages' ? PATHS.messages : PATHS.chat
}
