import { expect } from 'vitest'
import type { Behaviour } from '../../support/backend.ts'
import { streamThenEnd, streamThenReset } from '../../support/backend.ts'

/** The text that a client reads from a stream that breaks. */
export const SAID = 'Hello'

/** Streams that break after content. `read` is to be called once the client has all of it. */
export const breaks: readonly { name: string; behaviour: (read: Promise<void>) => Behaviour }[] = [
  { name: 'ends without a finish', behaviour: until => streamThenEnd({ chunks: ['Hel', 'lo'], until }) },
  { name: 'is reset', behaviour: until => streamThenReset({ chunks: ['Hel', 'lo'], until }) },
]

/** The SDKs' reading of the gateway's error event. */
export const INTERRUPTED = {
  message: 'The backend failed before the answer was complete.',
  type: 'upstream_error',
  code: 'UPSTREAM_INTERRUPTED',
}

/** The SDKs' reading of an outage that the gateway learns of only after it began the stream. */
export const LATE_OUTAGE = {
  message: expect.stringMatching(/^No backend of this model could answer/),
  type: 'server_error',
  code: 'UPSTREAMS_EXHAUSTED',
  tier: 'on-premises',
  attempted: ['onprem'],
}

/** Collects the text a client reads; `read` resolves once it has all that comes before the break. */
export class Reader {
  text = ''
  readonly read: Promise<void>
  #done: () => void = () => {}

  constructor() {
    this.read = new Promise(resolve => {
      this.#done = resolve
    })
  }

  add(text: string): void {
    this.text += text
    if (this.text === SAID) this.#done()
  }
}
