import { fitting } from './fitting.ts'
import { hash } from './hash.ts'
import type { ChatRequest } from './request.ts'
import { type Finding, findingFor, plural } from './skills.ts'
import { countTokens, pieces, promptTokens } from './tokens.ts'
import { type Call, callsFor, lastUserText } from './tool-calls.ts'

/** Who answers. */
export interface Speaker {
  readonly replica: string
  /** Whether its models think unless a request says not to. */
  readonly thinking: boolean
}

/** An answer before it has a form: every text in the tokens in which a stream sends it. */
export interface AnswerPlan {
  readonly choices: readonly Choice[]
  readonly usage: Usage
}

export interface Choice {
  readonly reasoning: readonly string[]
  readonly content: readonly string[]
  readonly calls: readonly PlannedCall[]
  readonly finish: 'stop' | 'length' | 'tool_calls'
}

export interface PlannedCall {
  readonly id: string
  readonly name: string
  readonly arguments: readonly string[]
}

export interface Usage {
  readonly prompt: number
  readonly completion: number
  /** Part of `completion`. */
  readonly reasoning: number
}

/** The demo backend's answer: a few rules over the conversation, equal for equal requests. */
export function answerPlan(request: ChatRequest, speaker: Speaker): AnswerPlan {
  const seed = hash(JSON.stringify([request.model, request.messages]))
  const finding = findingFor(request)
  const calls = callsFor(request)
  const reasoning = speaker.thinking && request.thinking ? thoughts(request, finding, calls) : ''
  const choices = Array.from({ length: request.n }, (_, i) => {
    const content = calls.length > 0 ? '' : contentOf(request, finding, preface(request, speaker, seed + i))
    return within(request.maxTokens, {
      reasoning: pieces(reasoning),
      content: pieces(stopped(content, request.stop)),
      calls: calls.map((call, at) => planned(call, hash(`${seed} ${i} ${at}`))),
      finish: calls.length > 0 ? 'tool_calls' : 'stop',
    })
  })
  return { choices, usage: usageOf(request, choices) }
}

/** Models that think unless a request says not to, by their names. */
export const isThinkingModel = (model: string): boolean => /235B|ultra/i.test(model)

const OPENINGS = ['Hello', 'Good day', 'Greetings', 'Hi there'] as const

function preface(request: ChatRequest, { replica }: Speaker, seed: number): string {
  const opening = OPENINGS[seed % OPENINGS.length] ?? OPENINGS[0]
  return `${opening} from ${replica}, a demo backend serving ${request.model} (a small program, not a language model). `
}

function contentOf(request: ChatRequest, finding: Finding, opening: string): string {
  const whole = `${opening}${finding.text}`
  if (!request.json) return whole
  const { schema } = request.json
  if (!schema) return JSON.stringify({ answer: finding.text, model: request.model, backend: 'demo' })
  const { text, result } = finding
  return JSON.stringify(
    fitting(schema, { text: lastUserText(request), whole: text, ...(result !== undefined && { result }) }),
  )
}

function thoughts({ messages }: ChatRequest, finding: Finding, calls: readonly Call[]): string {
  const why = calls.length > 0 ? `I am to call ${calls.map(call => call.name).join(' and ')}.` : finding.why
  return `The conversation has ${plural(messages.length, 'message')}. ${why} I follow rules, so this is all the thinking there is.`
}

function planned(call: Call, seed: number): PlannedCall {
  return { id: `call_${seed.toString(16).padStart(8, '0')}`, name: call.name, arguments: pieces(call.arguments) }
}

/** Up to the earliest stop text. */
function stopped(text: string, stops: readonly string[]): string {
  const ends = stops.map(stop => text.indexOf(stop)).filter(at => at >= 0)
  return text.slice(0, Math.min(text.length, ...ends))
}

/** The choice cut after so many tokens: thinking, then content, then calls; a call loses its end or is left out. */
function within(most: number, choice: Choice): Choice {
  if (tokensOf(choice) <= most) return choice
  let left = most
  const upTo = (tokens: readonly string[]) => {
    const kept = tokens.slice(0, left)
    left -= kept.length
    return kept
  }
  const reasoning = upTo(choice.reasoning)
  const content = upTo(choice.content)
  const calls: PlannedCall[] = []
  for (const call of choice.calls) {
    if (left < countTokens(call.name)) break
    left -= countTokens(call.name)
    calls.push({ ...call, arguments: upTo(call.arguments) })
  }
  return { reasoning, content, calls, finish: 'length' }
}

function tokensOf({ reasoning, content, calls }: Choice): number {
  const called = calls.map(call => countTokens(call.name) + call.arguments.length)
  return called.reduce((total, tokens) => total + tokens, reasoning.length + content.length)
}

function usageOf(request: ChatRequest, choices: readonly Choice[]): Usage {
  return {
    prompt: promptTokens(request),
    completion: choices.reduce((total, choice) => total + tokensOf(choice), 0),
    reasoning: choices.reduce((total, choice) => total + choice.reasoning.length, 0),
  }
}
