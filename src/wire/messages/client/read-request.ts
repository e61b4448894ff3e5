import type { Denied } from '../../../policy/denial.ts'
import type { ChatOfDialect, ReadTerms } from '../../client-dialect.ts'
import { endUserOf } from '../../end-user.ts'
import { Findings, isAbsent } from '../../findings.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import { refuseKept } from '../../native/kept-at-provider.ts'
import type { AnswerForm } from './answer-form.ts'
import { readMessages } from './read-messages.ts'
import { readTools } from './tools.ts'

/** A request of Messages as a chat, with the form of its answer. Fields that are not known are ignored. */
export function readRequest(body: JsonObject, terms: ReadTerms, isCounted = false): ReadRequest | Denied {
  const findings = new Findings('Field required')
  const model = findings.requiredText('model', body.model)
  if (!isCounted && isAbsent(body.max_tokens)) findings.refuseMissing('max_tokens')
  const tools = readTools(body, terms.isHosted, findings)
  const messages = readMessages(body, tools.names, terms.texts, findings)
  const thinking = readThinking(body, findings)
  const stop = stopsOf(body, findings)
  leaveServers(body, findings)
  refuseThread(body, findings)
  if (terms.passes) {
    refuseKept(body, findings)
    refuseDearer(body, findings)
  }
  const chat: JsonObject = {
    model,
    messages,
    ...passedOn(body),
    ...tools.chat,
    ...(stop.length > 0 && { stop }),
    ...readOutput(body, thinking.effort, findings),
    ...(thinking.isOn !== undefined &&
      terms.thinks(model) && { chat_template_kwargs: { enable_thinking: thinking.isOn } }),
    ...(body.stream === true && { stream_options: { include_usage: true } }),
  }
  loseOthers(body, findings)
  if (findings.denied) return findings.denied
  const form = { names: tools.names, thinking: thinking.shown, stops: stop }
  const { lost: ignoredFields, onlyNative } = findings
  const user = userOf(body, terms)
  return {
    ...{ chat, ignoredTools: tools.ignored, ignoredFields, form },
    ...(onlyNative && { onlyNative }),
    ...(user !== undefined && { user }),
  }
}

interface ReadRequest extends Omit<ChatOfDialect, 'writer'> {
  readonly form: AnswerForm
}

/** No chat of ours has it: a backend of another dialect is not sent it. */
function userOf({ metadata }: JsonObject, { texts }: ReadTerms): string | undefined {
  const { user_id } = asObject(metadata)
  return typeof user_id === 'string' ? endUserOf(texts.read(user_id)) : undefined
}

/** Fields that a chat has too, by the same name: it checks them. */
function passedOn(body: JsonObject): JsonObject {
  const fields: Record<string, unknown> = {}
  for (const field of SAME) if (!isAbsent(body[field])) fields[field] = body[field]
  return fields
}

const SAME = ['max_tokens', 'temperature', 'top_p', 'top_k', 'stream'] as const

interface Thinking {
  /** Undefined where the request leaves it to the model. */
  readonly isOn?: boolean
  readonly shown: AnswerForm['thinking']
  readonly effort?: string | undefined
}

function readThinking(body: JsonObject, findings: Findings): Thinking {
  const { type, budget_tokens, display } = asObject(findings.object('thinking', body.thinking))
  switch (type) {
    case undefined:
      if (isObject(body.thinking)) findings.refuseMissing('thinking.type')
      return { shown: 'none' }
    case 'disabled':
      return { isOn: false, shown: 'none' }
    case 'enabled':
    case 'adaptive': {
      const shown = display === 'omitted' ? 'sealed' : 'whole'
      return { isOn: true, shown, effort: type === 'enabled' ? effortOf(budget_tokens) : undefined }
    }
    default:
      findings.refuse('thinking.type', 'must be one of "enabled", "adaptive", "disabled"')
      return { shown: 'none' }
  }
}

/** The effort that a budget in tokens stands for. */
function effortOf(budget: unknown): string | undefined {
  if (typeof budget !== 'number') return undefined
  if (budget >= 10_000) return 'high'
  return budget >= 4_000 ? 'medium' : 'low'
}

/** How much the model should think, and the schema of what it should write. */
function readOutput(body: JsonObject, budgeted: string | undefined, findings: Findings): JsonObject {
  const output = asObject(findings.object('output_config', body.output_config))
  const asked = findings.text('output_config.effort', output.effort)
  const effort = asked === 'max' ? 'xhigh' : (asked ?? budgeted)
  const format = isAbsent(output.format)
    ? schemaOf(body.output_format, 'output_format', findings)
    : schemaOf(output.format, 'output_config.format', findings)
  return {
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(format && {
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: format, strict: true } },
    }),
  }
}

function schemaOf(value: unknown, at: string, findings: Findings): JsonObject | undefined {
  if (isAbsent(value)) return undefined
  const { type, schema } = asObject(findings.object(at, value))
  if (type !== 'json_schema') findings.refuse(`${at}.type`, 'must be "json_schema"')
  if (isAbsent(schema)) findings.refuseMissing(`${at}.schema`)
  return asObject(findings.object(`${at}.schema`, schema))
}

function stopsOf({ stop_sequences: stops }: JsonObject, findings: Findings): string[] {
  const list = findings.list('stop_sequences', stops)
  return list.flatMap((stop, index) => findings.text(`stop_sequences[${index}]`, stop) ?? [])
}

/**
 * Conversations that the server is to keep: a pool's replicas share none, and its accounts may not. Anthropic's library
 * sends the whole conversation once it is refused so.
 */
function refuseThread({ thread }: JsonObject, findings: Findings): void {
  if (isAbsent(thread)) return
  findings.refuse('thread', 'conversations are not kept here; send them whole', 'thread_unsupported_request')
}

/** Servers that would do a part of the work. */
function leaveServers({ mcp_servers, container }: JsonObject, findings: Findings): void {
  if (findings.list('mcp_servers', mcp_servers).length > 0)
    findings.leaveOut('mcp_servers', 'are not called from here; send their tools as your own tools')
  if (!isAbsent(container)) findings.leaveOut('container', 'nothing runs in containers here; leave it out')
}

/** A provider asks more for these than the price that is declared. */
function refuseDearer({ inference_geo: place, speed, service_tier: tier }: JsonObject, findings: Findings): void {
  if (!isAbsent(place) && place !== 'global')
    findings.refuse('inference_geo', 'must be "global": other places cost more')
  if (!isAbsent(speed) && speed !== 'standard') findings.refuse('speed', 'must be "standard": any other costs more')
  if (!isOrdinary(tier)) findings.refuse('service_tier', 'must be one of "auto", "standard_only": others cost more')
}

/** A tier at the price that is declared. */
const isOrdinary = (tier: unknown): boolean => isAbsent(tier) || tier === 'auto' || tier === 'standard_only'

/** Records the members that may change an answer and that nothing here reads. */
function loseOthers(body: JsonObject, findings: Findings): void {
  findings.loseOthers(body, KNOWN)
  const { inference_geo: place, speed, service_tier, output_config } = body
  if (!isAbsent(place) && place !== 'global') findings.lose('inference_geo')
  if (!isAbsent(speed) && speed !== 'standard') findings.lose('speed')
  if (!isOrdinary(service_tier)) findings.lose('service_tier')
  if (isObject(output_config)) findings.loseOthers(output_config, KNOWN_OF_OUTPUT, 'output_config.')
}

/** Fields that are read, checked or refused, and those that no answer depends on: labels and hints about caches. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'system', 'max_tokens', 'stop_sequences', 'tools', 'tool_choice', 'stream'],
  ...['temperature', 'top_p', 'top_k', 'thinking', 'output_config', 'output_format'],
  ...['mcp_servers', 'container', 'thread', 'inference_geo', 'speed'],
  ...['metadata', 'service_tier', 'cache_control', 'diagnostics'],
])
const KNOWN_OF_OUTPUT: ReadonlySet<string> = new Set(['effort', 'format'])
