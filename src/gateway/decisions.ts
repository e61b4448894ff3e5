import type { Config } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Facts, InferenceRequest } from '../policy/facts.ts'
import { outcomeOf } from '../policy/record.ts'
import type { Note } from './admit.ts'
import type { Gateway } from './infer.ts'
import { withoutKeys } from './keys.ts'

type Ports = Pick<Gateway, 'config' | 'settings' | 'decisions' | 'alarm'>

/** Writes down what is decided of a request; undefined where nobody wants to know. */
export function noteOf(ports: Ports, requestId: string): Note | undefined {
  if (!ports.settings.decisions.log) return undefined
  const note = writer(ports, requestId)
  return (...decided) => {
    try {
      note(...decided)
    } catch (error) {
      // A request may hold something by now: no log may break it.
      ports.alarm('a decision could not be written down', { requestId, error: String(error) })
    }
  }
}

function writer({ config, decisions }: Ports, requestId: string): Note {
  return (facts, decision, end, seen) => {
    const kept = keptOf(config, facts)
    // Of a name that nothing is called, however it is spelt, the files say the same.
    const again = kept.request === facts.request ? undefined : decide(config, kept)
    const outcome =
      again?.verdict === 'deny' ? outcomeOf(config, kept, again, again) : outcomeOf(config, kept, decision, end)
    const { revision } = config
    decisions.write(
      seen
        ? { id: requestId, revision, facts: kept, seen, outcome }
        : { id: requestId, revision, facts: kept, outcome },
    )
  }
}

/** What may be kept of facts: no part of a key, and of names that clients made up only what is as short as a name. */
function keptOf(config: Config, facts: Facts): Facts {
  const { at, caller, request, health, signals } = facts
  const { kind, account, terms } = caller
  return {
    at,
    caller: { kind, account, keyPrefix: null, terms },
    request: knownNames(config, request),
    health,
    signals,
  }
}

const MOST_NAME = 256

const shortened = (text: string): string => withoutKeys(text).slice(0, MOST_NAME)

/** The same request where nothing has to be left out. */
function knownNames({ models, aliases, tools }: Config, request: InferenceRequest): InferenceRequest {
  const { model } = request
  if (model !== undefined && !models.has(model) && !aliases.has(model)) {
    const kept = shortened(model)
    if (kept !== model) return { ...request, model: kept }
  }
  if (request.kind === 'chat' && request.hosted) {
    const kept = request.hosted.map(name => (tools.has(name) ? name : shortened(name)))
    if (kept.some((name, index) => name !== request.hosted?.[index])) return { ...request, hosted: kept }
  }
  return request
}
