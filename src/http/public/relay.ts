import type { LiveStream } from '../../gateway/answer/live-stream.ts'
import type { Cancel } from '../../gateway/ports.ts'
import type { EndedAnswer } from '../../gateway/upstream/outcome.ts'
import { errorEvent, sseDone } from '../../wire/sse.ts'
import type { HttpCall } from '../listener/call.ts'
import type { EventResponse } from './event-response.ts'

/**
 * Passes a committed stream on as it comes. `settle` is awaited before the last bytes: whoever got the end
 * of an answer is in the ledger. Resolves when nothing more will be written.
 */
export function relay(
  call: HttpCall,
  events: EventResponse,
  stream: LiveStream,
  settle: (ending: EndedAnswer) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopWatching: Cancel = () => {}
    const finish = (ending: EndedAnswer | Promise<EndedAnswer>, last: () => void) => {
      stopWatching()
      Promise.resolve(ending)
        .then(settle)
        .then(last)
        .then(resolve, (error: unknown) => {
          // What cannot be settled must not end well.
          events.destroy()
          reject(error)
        })
    }
    // Who shuts down does not wait for a usage.
    const leave = () => finish(call.wasCut ? stream.abort() : stream.clientLeft(), () => {})
    if (call.gone) {
      leave()
      return
    }
    call.passes()
    stopWatching = call.onGone(leave)
    const resume = () => stream.resume()
    stream.attach({
      write: text => {
        call.speaks()
        if (!events.write(text, resume)) stream.pause()
      },
      end: ending => {
        // Many answers come whole: to send what is there now and its end apart would cost as much as all of the rest.
        events.hold()
        finish(ending, () => events.end(ending.how === 'well' ? sseDone : interrupted))
      },
    })
  })
}

const interrupted = errorEvent(
  'The backend failed before the answer was complete.',
  'upstream_error',
  'UPSTREAM_INTERRUPTED',
)
