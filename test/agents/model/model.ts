import { type Behaviour, json, status } from '../../support/backend.ts'
import { SSE_HEADERS, write } from '../../support/behaviours.ts'
import { chat } from './chat.ts'
import type { Conversation, Script, Step, Usage } from './conversation.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import type { Wire } from './wire.ts'

/** A model that plays a script in all three wires, and remembers what its answers are charged for. */
export class ScriptedModel {
  /** Answers so far, oldest first. */
  readonly served: Served[] = []
  readonly #script: Script

  constructor(script: Script) {
    this.#script = script
  }

  /** Tokens of all answers. */
  get total(): Usage {
    const sum = (of: keyof Usage) => this.served.reduce((total, { usage }) => total + usage[of], 0)
    return { input: sum('input'), cached: sum('cached'), output: sum('output'), reasoning: sum('reasoning') }
  }

  readonly answer: Behaviour = async exchange => {
    const { seen, response } = exchange
    const wire = wires.find(({ path }) => path === seen.path.replace(/\?.*/, ''))
    if (!wire) return status(404, { error: { message: `the model has no ${seen.path}` } })(exchange)
    const conversation = wire.read(seen.body)
    const step = this.#script(conversation)
    const usage = this.#count(seen.rawBody, step)
    const streamed = seen.body.stream === true
    this.served.push({ path: wire.path, streamed, usage, conversation, step })
    if (!streamed) return json(wire.whole(step, usage, seen.body))(exchange)
    response.writeHead(200, SSE_HEADERS)
    for (const event of wire.stream(step, usage, seen.body)) await write(response, event)
    response.end()
  }

  /** Numbers that no estimate hits, other ones in each answer: what is charged can only come from here. */
  #count(rawBody: string, { reasoning = '', text = '', calls = [] }: Step): Usage {
    const turn = this.served.length
    const input = 1000 + Math.ceil(rawBody.length / 7) + 13 * turn
    const thought = Math.ceil(reasoning.length / 3)
    const said = text.length + calls.reduce((sum, call) => sum + call.arguments.length, 0)
    return {
      input,
      cached: turn === 0 ? 0 : 640 + turn,
      output: 17 + thought + Math.ceil(said / 3),
      reasoning: thought,
    }
  }
}

export interface Served {
  readonly path: string
  readonly streamed: boolean
  readonly usage: Usage
  readonly conversation: Conversation
  readonly step: Step
}

const wires: readonly Wire[] = [chat, responses, messages]

export type Dialect = 'chat' | 'responses' | 'messages'

/** Where each dialect is spoken. */
export const PATHS: Readonly<Record<Dialect, string>> = {
  chat: chat.path,
  responses: responses.path,
  messages: messages.path,
}
