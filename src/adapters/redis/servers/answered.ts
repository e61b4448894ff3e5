import type { Millis } from '../../../policy/config.ts'

/** What a server answers; rejects where that takes too long, since one that hangs still takes connections and says nothing. */
export function answered<T>(within: Millis, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${within} ms`)), within)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
