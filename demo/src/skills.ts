import { sumIn } from './arithmetic.ts'
import { object, text } from './json.ts'
import type { ChatRequest, Message } from './request.ts'
import { lastUserText } from './tool-calls.ts'

/** An answer that the answerer found, and the rule that found it. */
export interface Finding {
  readonly why: string
  readonly text: string
  /** The number the user asked for. */
  readonly result?: number
}

/** The answer of the first rule that applies; the last one always does. */
export function findingFor(request: ChatRequest): Finding {
  const conversation = { messages: request.messages, text: lastUserText(request) }
  for (const skill of SKILLS) {
    const finding = skill(conversation)
    if (finding) return finding
  }
  return summary(conversation)
}

interface Conversation {
  readonly messages: readonly Message[]
  /** The last user message. */
  readonly text: string
}
type Skill = (conversation: Conversation) => Finding | undefined

const toolResult: Skill = ({ messages }) => {
  if (messages.at(-1)?.role !== 'tool') return undefined
  const since = messages.findLastIndex(message => message.role !== 'tool')
  const said = messages
    .slice(since + 1)
    .map(result => `${callerOf(result, messages)} said: ${quoted(messageOf(result.text))}`)
  return { why: 'Tools have answered, so I pass on what they said.', text: `${said.join('. ')}.` }
}

/** A tool's message: without a first line in square brackets; an object's `text`, if it has one. */
function messageOf(result: string): string {
  const unmarked = result.replace(/^\[[^\]\n]*\]\r?\n/, '')
  try {
    return text(object(JSON.parse(unmarked)).text) || unmarked
  } catch {
    // Not JSON, as most of what tools say.
    return unmarked
  }
}

function callerOf({ callId }: Message, messages: readonly Message[]): string {
  const call = messages.flatMap(message => message.calls).find(({ id }) => id === callId)
  return call ? `The tool ${call.name}` : 'A tool'
}

const SPEAKING = /\b(?:say|said|ask|asked|message|question|tell|told|write|wrote)\b/i

const firstMessage: Skill = ({ messages, text }) => {
  if (!/\bfirst\b/i.test(text) || !SPEAKING.test(text)) return undefined
  const why = 'The question is about the beginning of the conversation.'
  return { why, text: `Your first message was ${quoted(userTexts(messages)[0] ?? '')}.` }
}

const previousMessage: Skill = ({ messages, text }) => {
  if (!/\b(?:previous|last|before)\b/i.test(text) || !/\b(?:I|my)\b/.test(text) || !SPEAKING.test(text))
    return undefined
  const previous = userTexts(messages).at(-2)
  const why = 'The question is about the message before.'
  if (previous === undefined) return { why, text: 'There was no message of yours before this one.' }
  return { why, text: `Before this you said ${quoted(previous)}.` }
}

const howMany: Skill = ({ messages, text }) => {
  if (!/\bhow many (?:messages|turns|questions|times)\b/i.test(text)) return undefined
  const yours = userTexts(messages).length
  const figures = `${plural(messages.length, 'message')} so far, ${yours} of them yours`
  return {
    why: 'The question is how long the conversation is.',
    text: `There were ${figures}.`,
    result: messages.length,
  }
}

const toldFact: Skill = ({ messages, text }) => {
  const thing = /\bwhat(?:'s|’s| is| was) my ((?:\p{L}+ ?){1,4})/iu.exec(text)?.[1]?.trim()
  if (!thing || SPEAKING.test(thing)) return undefined
  const why = `The question is what I was told about "${thing}".`
  const told = new RegExp(`\\bmy ${thing} is ([^.,!?\\n]+)`, 'iu')
  const facts = userTexts(messages).flatMap(said => told.exec(said)?.[1] ?? [])
  const fact = facts.at(-1)
  return { why, text: fact ? `You told me that your ${thing} is ${fact}.` : `You have not told me your ${thing}.` }
}

const counting: Skill = ({ text }) => {
  const last = Number(/\bcount (?:up )?(?:from 1 )?to (\d{1,4})\b/i.exec(text)?.[1] ?? 0)
  if (last < 1) return undefined
  const numbers = Array.from({ length: last }, (_, i) => i + 1)
  return { why: `I was asked to count to ${last}.`, text: `${numbers.join(' ')}.`, result: last }
}

const echo: Skill = ({ text }) => {
  const said = /\b(?:say|repeat|echo)\b[^:"“\n]{0,30}[:"“]\s*([^"”]{1,2000})/i.exec(text)?.[1]?.trim()
  return said ? { why: 'I was given the words to say.', text: said } : undefined
}

const arithmetic: Skill = ({ text }) => {
  const sum = sumIn(text)
  if (!sum) return undefined
  const why = 'There is arithmetic in the question, so I calculate.'
  if (!Number.isFinite(sum.value))
    return { why, text: `${sum.expression} has no value: it divides by zero or is too large.` }
  return { why, text: `${sum.expression} = ${sum.value}.`, result: sum.value }
}

const clock: Skill = ({ messages, text }) => {
  if (!/\bwhat(?:'s|’s| is)? (?:the )?(?:current )?(?:time|date|day)\b|\btoday's date\b/i.test(text)) return undefined
  const why = 'The question needs a clock, and I have none.'
  const told = messages.findLast(message => message.role === 'tool')
  if (told) return { why, text: `I have no clock, but a tool told me earlier: ${quoted(told.text)}.` }
  return { why, text: 'I have no clock. Give me a tool that tells the time and I will call it.' }
}

const SKILLS: readonly Skill[] = [
  toolResult,
  firstMessage,
  previousMessage,
  howMany,
  toldFact,
  counting,
  echo,
  arithmetic,
  clock,
]

function summary({ messages, text }: Conversation): Finding {
  const asked = userTexts(messages)
  const words = plural(text.match(/\S+/g)?.length ?? 0, 'word')
  const earlier =
    asked.length < 2
      ? ''
      : ` It is message ${messages.length} of our conversation, which began with ${quoted(asked[0] ?? '', 80)}.`
  const why = 'No rule of mine fits, so I say what I received.'
  return { why, text: `Your message has ${words}: ${quoted(text)}.${earlier}` }
}

const userTexts = (messages: readonly Message[]): readonly string[] =>
  messages.filter(message => message.role === 'user').map(message => message.text)

const quoted = (text: string, most = 400): string =>
  text.length > most ? `"${text.slice(0, most).trimEnd()}…"` : `"${text}"`

/** A number with its noun. */
export const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
