import type { Cancel } from '../gateway/ports.ts'
import type { AnswerStream, StreamEnding } from '../gateway/stream.ts'
import { sseDone, sseEvent } from '../wire/sse.ts'
import type { HttpCall } from './call.ts'

/**
 * Passes a committed stream on as it comes. `settle` is awaited before the last bytes: whoever got the end
 * of an answer is in the ledger. Resolves when nothing more will be written.
 */
export function relay(
  call: HttpCall,
  stream: AnswerStream,
  headers: Readonly<Record<string, string>>,
  settle: (ending: StreamEnding) => Promise<void>,
): Promise<void> {
  const { response } = call
  response.writeHead(200, { ...headers, ...streamHeaders })
  return new Promise((resolve, reject) => {
    let stopWatching: Cancel = () => {}
    const finish = (ending: StreamEnding, last: () => void) => {
      stopWatching()
      settle(ending)
        .then(last)
        .then(resolve, (error: unknown) => {
          // What cannot be settled must not end well.
          response.destroy()
          reject(error)
        })
    }
    if (call.gone) {
      finish(stream.abort(), () => {})
      return
    }
    stopWatching = call.onGone(() => finish(stream.abort(), () => {}))
    stream.attach({
      write: events => {
        if (response.write(events)) return
        stream.pause()
        response.once('drain', () => stream.resume())
      },
      end: ending => finish(ending, () => response.end(ending.clean ? sseDone : interrupted)),
    })
  })
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx would collect the events otherwise.
  'x-accel-buffering': 'no',
}

/** The form of error that every SDK shows its user. It is the last event: no marker follows. */
const interrupted = sseEvent(
  JSON.stringify({
    error: {
      message: 'The backend failed before the answer was complete.',
      type: 'upstream_error',
      code: 'UPSTREAM_INTERRUPTED',
    },
  }),
)
