import { vi } from 'vitest'
import type { Store } from '../../src/gateway/store/store.ts'
import { type Behaviour, chunk, SSE_HEADERS, USAGE, write } from './behaviours.ts'

/** A stream that says a word, and the rest once it is let go. */
export interface Held {
  readonly behaviour: Behaviour
  letGo(): void
}

/** Every stream of this behaviour is `Hello`, a wait, and ` there.` with usage. */
export function heldStream(model = 'test-model'): Held {
  let letGo = () => {}
  const free = new Promise<void>(resolve => {
    letGo = resolve
  })
  const behaviour: Behaviour = async ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    await write(response, chunk(model, { content: 'Hello' }, null))
    await free
    await write(response, chunk(model, { content: ' there.' }, 'stop'))
    const usage = { id: 'x', object: 'chat.completion.chunk', created: 1, model, choices: [], usage: USAGE }
    response.end(`data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`)
  }
  return { behaviour, letGo }
}

/** Holds up the next settlement: `asked` resolves when it was begun, and `letGo` lets it go on. */
export function heldSettlement(store: Store) {
  const settle = store.holds.settle.bind(store.holds)
  let letGo = () => {}
  const free = new Promise<void>(resolve => {
    letGo = resolve
  })
  const asked = new Promise<void>(resolve => {
    vi.spyOn(store.holds, 'settle').mockImplementationOnce(async settlement => {
      resolve()
      await free
      await settle(settlement)
    })
  })
  return { asked, letGo }
}

/** Reads an answer bit by bit. */
export function reading({ body }: Response) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const more = async () => {
    const next = await reader?.read()
    if (!next || next.done) return false
    text += next.value
    return true
  }
  return {
    /** Resolves once this was read, with all that was. */
    until: async (wanted: string) => {
      while (!text.includes(wanted)) if (!(await more())) throw new Error(`ended before ${wanted}: ${text}`)
      return text
    },
    /** Resolves at the end, with all that was read. */
    rest: async () => {
      while (await more());
      return text
    },
  }
}
