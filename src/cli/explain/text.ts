import type { PoolChoice } from '../../policy/balance/pool-choice.ts'
import type { EpochMs } from '../../policy/config.ts'
import { counted } from '../../policy/counted.ts'
import type { Step } from '../../policy/explain.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { lengthOfTime, painter } from '../../server/log/terminal-text.ts'
import type { Remedy } from '../../simulate/flips.ts'
import { type Answer, errorFields } from '../../simulate/result.ts'
import type { Scenario } from '../../simulate/scenario.ts'
import type { Sent } from '../../simulate/send.ts'
import { shownRemedy, shownStep } from '../../simulate/shown.ts'
import type { Simulation } from '../../simulate/simulation.ts'
import type { ShownRemedy, ShownStep } from '../../wire/admin/past.ts'
import { NOTHING_CACHED, ONLY_GIVEN, shownChoice } from '../../wire/admin/pool-choice.ts'
import { dollars, usdText } from '../../wire/money.ts'
import { jsonText } from '../../wire/printable.ts'
import { foldedText, placedLines } from '../kit/table.ts'
import { choiceTables } from './choice-table.ts'

/** A request, what became of it, and what would have become of it otherwise. */
export interface Explained {
  readonly scenario: Scenario
  readonly simulation: Simulation
  readonly answer: Answer
  readonly remedies: readonly Remedy[]
  readonly brand: string
}

/** As people read it: a numbered line for each stage, then the answer, then what would flip it. */
export function explanationText({ scenario, simulation, answer, remedies, brand }: Explained, colour: boolean): string {
  const paint = painter(colour)
  const parts = [
    foldedText(titleOf(scenario, simulation)),
    stepLines(simulation.steps, paint).join('\n'),
    ...choicesText(simulation.sent?.choices ?? []),
    simulation.denial
      ? paint('red', foldedText(denialText(answer)))
      : paint('green', foldedText(servedText(simulation, answer, brand))),
    ...(remedies.length > 0 ? [remediesText(remedies.map(shownRemedy), scenario.at)] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The costs at replicas that differ by what the case gives, and that no gateway was asked for what is cached. */
function choicesText(choices: readonly PoolChoice[]): readonly string[] {
  const weighed = choices.filter(({ balance }) => balance !== 'busy')
  const differing = weighed.filter(({ replicas }) => new Set(replicas.map(({ cost }) => cost)).size > 1)
  const note = differing.length > 0 ? ONLY_GIVEN : NOTHING_CACHED
  return weighed.length === 0 ? [] : [...choiceTables(differing.map(shownChoice)), foldedText(`▲ ${note}`, 2)]
}

/** `POST /v1/chat/completions · model svc-pro · 2026-11-21T10:00:00Z` */
function titleOf({ path, at }: Scenario, { facts }: Simulation): string {
  const asked = facts ? [facts.request.model === undefined ? 'no model named' : `model ${facts.request.model}`] : []
  return [`POST ${path}`, ...asked, isoText(at)].join(' · ')
}

/** A numbered line for each stage; more of the same stage stand below it. */
export function stepLines(steps: readonly TextStep[], paint: ReturnType<typeof painter>): readonly string[] {
  let number = 0
  let last = ''
  const placed = steps.map(({ stage, outcome, text, at }) => {
    const isNext = stage !== last
    if (isNext) number++
    last = stage
    const head = isNext ? `${String(number).padStart(3)} ${stage.padEnd(6)}` : ' '.repeat(10)
    const sign = SIGNS[outcome === 'deny' ? 'deny' : stage === 'route' ? 'route' : 'pass']
    const tone = outcome === 'deny' ? 'red' : 'green'
    return { head: `${head} ${paint(tone, sign)} `, text, ...(at && { place: `${at.file}:${at.line}` }) }
  })
  return placedLines(placed, HEAD, paint)
}

/** Stages that a gateway sent, as they are printed. */
export const textSteps = (stages: readonly ShownStep[]): readonly TextStep[] =>
  stages.map(({ file, line, ...step }) => ({ ...step, ...(file !== null && line !== null && { at: { file, line } }) }))

/** A step as it is here, or as a gateway sent it. */
type TextStep = Pick<Step, 'text'> & {
  readonly stage: string
  readonly outcome: string
  readonly at?: { readonly file: string; readonly line: number } | undefined
}

/** Columns that a number, a stage and a sign take. */
const HEAD = 13
const SIGNS = { pass: '✓', deny: '✗', route: '·' } as const

function servedText({ decision, sent }: Simulation, { headers }: Answer, brand: string): string {
  const model = decision && !('denial' in decision) ? [decision.model.name] : []
  const names = [`x-${brand}-upstream`, `x-${brand}-smart-route`, `x-${brand}-max-tokens`]
  const shown = names.flatMap(name => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]))
  return [sent ? '200' : '', ...model, ...shown].filter(Boolean).join(' · ')
}

/** `429 rate_limit_exceeded, plan_limit · Plan free does not include svc-pro. …` */
export function denialText({ status, body }: Answer): string {
  const { code, type, message } = errorFields(body)
  const kind = typeof type === 'string' ? `${code}, ${type}` : `${code}`
  return `${status} ${kind} · ${message}`
}

export function remediesText(remedies: readonly ShownRemedy[], at: EpochMs): string {
  return ['It would be allowed', ...remedies.map(remedy => foldedText(`  · ${remedyText(remedy, at)}`, 2))].join('\n')
}

function remedyText(remedy: ShownRemedy, now: EpochMs): string {
  switch (remedy.change) {
    case 'time':
      return againText(Date.parse(remedy.at), now)
    case 'max_tokens':
      if (remedy.to === undefined) return `with max_tokens ≥ ${remedy.from}`
      return remedy.from === 1
        ? `with max_tokens ≤ ${remedy.to}`
        : `with max_tokens from ${remedy.from} to ${remedy.to}`
    case 'thinking':
      return 'with chat_template_kwargs {"enable_thinking": false}'
    case 'plan':
      return `in plan ${listed(remedy.names)}`
    case 'model':
      return `with model ${listed(remedy.names)}`
    case 'under_way':
      return `while no more than ${counted(remedy.to, 'other request')} ${remedy.to === 1 ? 'is' : 'are'} running`
    case 'held':
      return `while running requests reserve no more than ${dollars(usdText(nanoUsd(remedy.to)))}`
    case 'pool':
      return `while ${listed(remedy.names)} answers`
    case 'room':
      return `while ${listed(remedy.names)} has a free slot`
  }
}

const againText = (at: EpochMs, now: EpochMs): string => `again at ${isoText(at)}, in ${lengthOfTime(at - now)}`

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

export const isoText = (at: EpochMs): string => new Date(at).toISOString().replace('.000Z', 'Z')

/** The wait of a request for a slot, the slot, and the pools without room, each with the bound that was met. */
const slotJson = ({ wait, slot, full = new Map() }: Partial<Sent> = {}) => ({
  waits_in: wait?.pool.name ?? null,
  waits_behind: wait?.behind ?? null,
  slot: slot ?? null,
  full: Object.fromEntries(full),
})

/** As programs read it. */
export function explanationJson({ scenario, simulation, answer, remedies }: Explained): string {
  const { decision, admitted, sent } = simulation
  const allow = decision && 'denial' in decision ? undefined : decision
  const told = {
    verdict: simulation.denial ? 'deny' : 'allow',
    at: new Date(scenario.at).toISOString(),
    path: scenario.path,
    asked: simulation.facts?.request.model ?? null,
    model: allow?.model.name ?? null,
    route: allow?.route?.name ?? null,
    pools: allow?.pools.map(({ name }) => name) ?? [],
    attempted: sent?.attempted ?? [],
    served_by: sent && 'servedBy' in sent.end ? sent.end.servedBy.name : null,
    replica: sent?.replica ?? null,
    ...slotJson(sent),
    choices: (sent?.choices ?? []).map(shownChoice),
    max_tokens: simulation.facts?.request.kind === 'chat' ? (admitted?.hold.output ?? null) : null,
    answer: { status: answer.status, headers: answer.headers, body: answer.body ?? null },
    stages: simulation.steps.map(shownStep),
    allowed_if: remedies.map(shownRemedy),
  }
  return `${jsonText(told, 2)}\n`
}
