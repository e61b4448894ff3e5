import { allAtOnce, type Steps } from '../../wire/steps.ts'
import type { AnswerCosts } from '../ports.ts'

/** Works on an answer in a turn of its account. */
export type ReadInTurn = <T>(steps: Steps<T>) => Promise<T>

/** Works on a small one at once: that takes no longer than to wait for a turn. */
export const atOnce: ReadInTurn = async steps => allAtOnce(steps)

/** An answer lost its room in memory while it was worked on. */
export class RoomLost extends Error {}

/**
 * Works on an answer that is in memory, once there is room for a copy of it and `more` bytes, which count until the work is done. Where the
 * answer loses its room before a turn of `work` has come, `work` is broken off by RoomLost, so that all it holds is free at once, and
 * the result is `lost`. Between its turns it cannot lose its room: what a thread or the store has is in memory whatever we count.
 */
export async function workOnCopy<T>(
  costs: AnswerCosts,
  work: (inTurn: ReadInTurn) => Promise<T>,
  more = 0,
): Promise<{ readonly is: T } | 'lost'> {
  const { held } = costs
  try {
    await new Promise<void>((resolve, reject) => {
      held.onEnded = () => reject(new RoomLost())
      held.copies(resolve, more)
    })
    held.onEnded = undefined
    return { is: await work(steps => readInTurn(costs, steps)) }
  } catch (error) {
    if (error instanceof RoomLost) return 'lost'
    throw error
  } finally {
    held.onEnded = undefined
    held.arrived()
  }
}

function readInTurn<T>(costs: AnswerCosts, steps: Steps<T>): Promise<T> {
  const { held } = costs
  return new Promise<T>((resolve, reject) => {
    const reading = costs.beginToRead(steps)
    held.onEnded = () => {
      reading.drop()
      reject(new RoomLost())
    }
    // A dropped copy is rejected by then.
    reading.done.then(value => resolve(value as T), reject)
  }).finally(() => {
    held.onEnded = undefined
  })
}
