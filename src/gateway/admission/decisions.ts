import type { Settings } from '../../config/settings.ts'
import type { Config } from '../../policy/config.ts'
import { decide } from '../../policy/decide.ts'
import type { Decision, Mutable } from '../../policy/decision.ts'
import type { Caller, ChatAsk, Facts, InferenceRequest, LostFields } from '../../policy/facts.ts'
import { type DecisionRecord, type End, type Outcome, outcomeOf } from '../../policy/record.ts'
import { withoutKeys } from '../accounts/keys.ts'
import type { Alarm, DecisionLog } from '../ports.ts'
import type { Note } from './admit.ts'

interface Ports {
  readonly config: Config
  readonly settings: Pick<Settings, 'decisions'>
  readonly decisions: DecisionLog
  readonly alarm: Alarm
}

/** Writes the decision on a request to the decision log; undefined where the log is off. */
export function decisionNote(ports: Ports, requestId: string): Note | undefined {
  const { settings, config, decisions, alarm } = ports
  if (!settings.decisions.log) return undefined
  return (facts, decision, end, seen) => {
    try {
      const kept = keptOf(config, facts)
      const isWhole = kept.request === facts.request
      const outcome = isWhole ? outcomeOf(config, kept, decision, end) : outcomeOfKept(config, kept, decision, end)
      const record: Mutable<DecisionRecord> = { id: requestId, revision: config.revision, facts: kept, outcome }
      if (seen) record.seen = seen
      decisions.write(record)
    } catch (error) {
      // A request may hold something by now: no log may break it.
      alarm('a decision could not be written to the decision log', { requestId, error: String(error) })
    }
  }
}

/** Decides again on the shortened facts: the decision is the same for every name that the files do not know. */
function outcomeOfKept(config: Config, kept: Facts, decision: Decision, end: End): Outcome {
  const again = decide(config, kept)
  return 'denial' in again ? outcomeOf(config, kept, again, again) : outcomeOf(config, kept, decision, end)
}

/** The facts that may be kept: no part of a key, and only the short ones of names that clients made up. */
function keptOf(config: Config, { at, caller, request, health, signals }: Facts): Facts {
  const { kind, account, terms, orgTerms, key } = caller
  const named = knownNames(config, request)
  const kept: Mutable<Caller> = { kind, account, keyPrefix: null, terms }
  if (orgTerms) kept.orgTerms = orgTerms
  if (key) {
    const { name: _name, ...known } = key
    kept.key = known
  }
  return { at, caller: kept, request: named, health, signals }
}

const MOST_NAME = 256

const shortened = (text: string): string => withoutKeys(text).slice(0, MOST_NAME)

/** The request with names shortened that the files do not know; the same one where none is. */
function knownNames(config: Config, request: InferenceRequest): InferenceRequest {
  const { model } = request
  const kept = request.kind === 'chat' ? knownWords(config, request) : request
  if (model === undefined || config.models.has(model) || config.aliases.has(model)) return kept
  const name = shortened(model)
  return name === model ? kept : { ...kept, model: name }
}

/** The names in a chat beside its model, as they may be kept. */
function knownWords({ tools }: Config, request: ChatAsk): ChatAsk {
  const { hosted, losses, lostFields, providerTools, cuttable, unknown, address, onlyNative } = request
  if (!(hosted ?? losses ?? lostFields ?? providerTools ?? unknown ?? address ?? onlyNative)) return request
  const kept: Mutable<ChatAsk> = { ...request }
  if (hosted) kept.hosted = hosted.map(name => (tools.has(name) ? name : shortened(name)))
  if (losses) kept.losses = losses.map(shortened)
  if (lostFields) kept.lostFields = shortenedIn(lostFields)
  if (providerTools) kept.providerTools = providerTools.map(shortened)
  if (cuttable) kept.cuttable = cuttable.map(shortened)
  if (unknown) kept.unknown = unknown.map(shortened)
  if (address !== undefined) kept.address = shortened(address)
  if (onlyNative) {
    const { field, problem } = onlyNative
    kept.onlyNative = { ...onlyNative, field: shortened(field), problem: shortened(problem) }
  }
  return JSON.stringify(kept) === JSON.stringify(request) ? request : kept
}

const shortenedIn = (lost: LostFields): LostFields =>
  Object.fromEntries(Object.entries(lost).map(([into, fields]) => [into, fields.map(shortened)]))
