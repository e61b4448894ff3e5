import { remembered } from '../../gateway/lifetimes.ts'
import type { Granted, Window } from '../../policy/decision.ts'
import {
  type Caller,
  type CallerKey,
  type ChatAsk,
  type Facts,
  type Health,
  type InferenceRequest,
  storedTerms,
} from '../../policy/facts.ts'
import { readingsJson } from '../../policy/limits/readings.ts'
import type { DecisionRecord, Outcome, Seen } from '../../policy/record.ts'
import { type ClaimsLine, OPTIONAL_CLAIMS } from '../../policy/record.ts'
import { LINE_VERSION } from '../../wire/decision-line.ts'

/**
 * The line of a decision, with its newline: JSON in ASCII, which takes half as long to read as other texts. The same
 * record always gives the same bytes. JSON.stringify is used only for parts with many forms: calling it for each part of
 * a line takes three times as long.
 */
export function lineOf({ id, revision, facts, seen, outcome }: DecisionRecord): string {
  const { at, caller, request, health, signals } = facts
  const who = `"account":${textOf(caller.account)}${caller.key ? `,"key":${keyOf(caller.key)}` : ''}`
  const own = `{"v":${LINE_VERSION},"id":${textOf(id)},"at":${at},${who},"request":${requestOf(request)}`
  const shared = `"revision":${nameOf(revision)},"caller":"${caller.kind}","terms":${termsOf(caller)},"health":${healthText(health)},"signals":${signalsOf(signals)}`
  return `${own}${seen ? `,"seen":${seenOf(seen)}` : ''}${endOf(outcome)},${shared},${choiceOf(outcome)}${lastOf(outcome, seen)}}\n`
}

const healthText = ({ down, busy }: Health): string =>
  `{"down":${namesOf(down)}${busy ? `,"busy":${jsonOf(busy)}` : ''}}`

const termsOf = ({ terms, orgTerms }: Caller): string =>
  `${jsonOf(storedTerms(terms))}${orgTerms ? `,"orgTerms":${jsonOf(orgTerms)}` : ''}`

/** Its name is its owner's own affair. */
const keyOf = ({ id, models, limits, labels, origin }: CallerKey): string => {
  const narrowed = `${models ? `,"models":${namesOf(models)}` : ''}${limits ? `,"limits":${jsonOf(limits)}` : ''}${labels ? `,"labels":${jsonOf(labels)}` : ''}`
  return `{"id":${textOf(id)}${narrowed}${origin === undefined ? '' : `,"origin":${textOf(origin)}`}}`
}

/** Most are chats. */
const requestOf = (request: InferenceRequest): string => (request.kind === 'chat' ? chatOf(request) : jsonOf(request))

function chatOf(chat: ChatAsk): string {
  const { model, stream, messages, images, textBytes, user, tools, hosted, cap, choices, thinking, extras } = chat
  const named = `${model === undefined ? '' : `,"model":${textOf(model)}`}${user === undefined ? '' : `,"user":"${user}"`}`
  const size = `"messages":${messages},"images":${images},"textBytes":${textBytes},"tools":${tools}`
  const limit = cap ? `,"cap":{"field":"${cap.field}","tokens":${cap.tokens}}` : ''
  const thinks = thinking === undefined ? '' : `,"thinking":${thinking}`
  const declared = extras ? `,"extras":${jsonOf(extras)}` : ''
  return `{"kind":"chat"${named}${labelledOf(chat)},"stream":${stream},${size}${hosted ? `,"hosted":${jsonOf(hosted)}` : ''}${limit},"choices":${choices}${thinks}${declared}${spokenOf(chat)}}`
}

/** The labels and the conversation of a request. */
const labelledOf = ({ labels, session, draw }: ChatAsk): string => {
  const named = `${labels ? `,"labels":${jsonOf(labels)}` : ''}${session === undefined ? '' : `,"session":${textOf(session)}`}`
  return draw === undefined ? named : `${named},"draw":${JSON.stringify(draw)}`
}

/** The members of a chat that was read from another dialect, or goes into one. */
function spokenOf(chat: ChatAsk): string {
  const { dialect, losses, lostFields, onlyNative, optional, developer } = chat
  const taken = `${optional ? `,"optional":${jsonOf(optional)}` : ''}${developer ? ',"developer":true' : ''}`
  const spoken = `${taken}${dialect === undefined ? '' : `,"dialect":"${dialect}"`}`
  const lost = `${losses ? `,"losses":${jsonOf(losses)}` : ''}${lostFields ? `,"lostFields":${jsonOf(lostFields)}` : ''}`
  return `${spoken}${lost}${nativeOf(chat)}${onlyNative ? `,"onlyNative":${jsonOf(onlyNative)}` : ''}`
}

/** The members of a chat that goes in the client's dialect. */
function nativeOf({ providerTools, cuttable, native, cacheTime, unknown, address }: ChatAsk): string {
  const run = `${providerTools ? `,"providerTools":${jsonOf(providerTools)}` : ''}${cuttable ? `,"cuttable":${jsonOf(cuttable)}` : ''}`
  const size = `${native ? `,"native":${jsonOf(native)}` : ''}${cacheTime ? `,"cacheTime":"${cacheTime}"` : ''}`
  const more = `${unknown ? `,"unknown":${jsonOf(unknown)}` : ''}${address === undefined ? '' : `,"address":${textOf(address)}`}`
  return `${run}${size}${more}`
}

/** The minute is at the end of the line. */
function seenOf(seen: Seen): string {
  if (!('readings' in seen)) return jsonOf(seen)
  const { at, readings, rules, shared } = seen
  const ofGuests = shared ? `,"shared":{"limit":${shared.limit},"taken":${shared.taken}}` : ''
  const ofRules = rules ? `,"rules":${jsonOf(rules)}` : ''
  return `{"at":${at},"readings":${readingsJson(readings)}${ofRules}${ofGuests}}`
}

const endOf = ({ granted, denial }: Outcome): string =>
  `${granted ? `,"granted":${grantedOf(granted)}` : ''}${denial ? `,"denial":${jsonOf(denial)}` : ''}`

const grantedOf = ({ output, tokens, cost }: Granted): string =>
  `{"output":${output},"tokens":${tokens},"cost":${cost}}`

function choiceOf({ verdict, plan, model, route, pools }: Outcome): string {
  const chosen = model === undefined ? '' : `,"model":${nameOf(model)}`
  const by = route === undefined ? '' : `,"route":${nameOf(route)}`
  return `"verdict":"${verdict}","plan":${nameOf(plan)}${chosen}${by}${pools ? `,"pools":${namesOf(pools)}` : ''}`
}

function lastOf({ claims }: Outcome, seen: Seen | undefined): string {
  const minute = seen && 'readings' in seen ? seen.minute : undefined
  return `${claims ? `,"claims":${claimsOf(claims)}` : ''}${minute ? `,"minute":${JSON.stringify(minute)}` : ''}`
}

function claimsOf(claims: ClaimsLine): string {
  const { requests, tokens, spend, output, rules } = claims
  const { want, min, choices } = output
  const rate = `"requests":{"limit":${requests.limit}},"tokens":{"limit":${tokens.limit},"input":${tokens.input}}`
  const size = `"output":{"want":${want},"min":${min},"choices":${choices}}`
  let more = ''
  for (const name of OPTIONAL_CLAIMS) {
    const claim = claims[name]
    if (claim) more += `,"${name}":{"limit":${claim.limit}}`
  }
  if (rules) more += `,"rules":${jsonOf(rules)}`
  return `{${rate},"spend":${spendOf(spend)},${size}${more}}`
}

/** Absent for months of UTC. */
const calendarOf = ({ key, per }: Window): string =>
  `${key === undefined ? '' : `,"key":${key}`}${per === undefined ? '' : `,"per":${JSON.stringify(per)}`}`

function spendOf({ allotment, overageEnabled, window, price, items, limit }: ClaimsLine['spend']): string {
  const paid = `{"input":${price.input},"output":${price.output}${price.item === undefined ? '' : `,"item":${price.item}`}}`
  return `{"allotment":${allotment},"overageEnabled":${overageEnabled},"window":{"start":${window.start},"end":${window.end}${calendarOf(window)}},"price":${paid},"items":${items}${limit === undefined ? '' : `,"limit":${limit}`}}`
}

function signalsOf(signals: Facts['signals']): string {
  let text = ''
  for (const name in signals) text += `${text === '' ? '' : ','}${nameOf(name)}:${signals[name]}`
  return `{${text}}`
}

function namesOf(names: readonly string[]): string {
  let text = ''
  for (const name of names) text += `${text === '' ? '' : ','}${nameOf(name)}`
  return `[${text}]`
}

const textOf = (text: string): string => (/[^ !#-[\]-~]/.test(text) ? inAscii(JSON.stringify(text)) : `"${text}"`)

/** The most cached names; another configuration has others. */
const MOST_NAMES = 10_000
/** A name of the configuration as JSON. There are as many as the files declare, so that each is written once and cached. */
const nameOf = remembered(MOST_NAMES, textOf)

const jsonOf = (value: object): string => inAscii(JSON.stringify(value))

const inAscii = (json: string): string => (/[^ -~]/.test(json) ? json.replace(/[^ -~]/g, escaped) : json)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
