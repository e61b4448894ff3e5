import { outOfPatience, type Wait } from '../../../gateway/patience.ts'

/**
 * The answer of a server. Rejects with Mute when patience runs out, since a server that hangs still takes connections
 * and says nothing. `late` gets an answer that comes after that.
 */
export function answered<T>(answer: Promise<T>, wait: Wait, late: (answer: T) => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    let isGivenUp = false
    const callOff = outOfPatience(wait, () => {
      isGivenUp = true
      reject(new Mute(`no answer within ${wait.time} ms`))
    })
    answer.then(
      value => {
        callOff()
        if (isGivenUp) late(value)
        else resolve(value)
      },
      error => {
        callOff()
        reject(error)
      },
    )
  })
}

/** A server did not answer in time. */
export class Mute extends Error {
  override readonly name = 'Mute'
}
