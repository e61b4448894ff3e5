import type { ComponentChildren } from 'preact'
import type { ShownPast, ShownRemedy, ShownStep } from '../../../src/wire/admin/past.ts'
import { exactUsd } from '../shared/fmt.ts'
import { State } from '../shared/state.tsx'
import { Time } from '../shared/time/time.tsx'
import * as text from './texts/explained.tsx'

/** The stages that a request went through, what it came to, and what would have had it admitted. */
export const Decision = ({ past }: { readonly past: ShownPast }) => (
  <>
    <section>
      <h2>{text.why}</h2>
      <div class="box">
        <Stages stages={past.stages} />
        <Outcome past={past} />
      </div>
      <p class="small muted">{noteOf(past)}</p>
    </section>
    <Remedies remedies={past.allowed_if} />
    {past.answer && <ClientAnswer title={text.whatTheClientGot} answer={past.answer} />}
  </>
)

/** The stages that a request goes through, each with the line that decides it. */
export const Stages = ({ stages }: { readonly stages: readonly ShownStep[] }) => (
  <ol class="steps">
    {stages.map((step, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
      <Step key={at} step={step} isFurther={stages[at - 1]?.stage === step.stage} />
    ))}
  </ol>
)

/** The changes that would have a refused request served. */
export const Remedies = ({ remedies }: { readonly remedies: readonly ShownRemedy[] }) =>
  remedies.length === 0 ? null : (
    <section>
      <h2>{text.itWouldBeAllowed}</h2>
      <ul class="box pad bullets">
        {remedies.map(remedy => (
          <li key={JSON.stringify(remedy)}>{textOf(remedy)}</li>
        ))}
      </ul>
    </section>
  )

type RefusedAnswer = NonNullable<ShownPast['answer']>

/** The answer to the client of a refused request, with its headers. */
export const ClientAnswer = ({ title, answer }: { readonly title: string; readonly answer: RefusedAnswer }) => (
  <section>
    <h2>{title}</h2>
    <details class="box pad">
      <summary>{text.withItsHeaders(answer.status)}</summary>
      <pre>
        {Object.entries(answer.headers)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join('')}
        {'\n'}
        {JSON.stringify(answer.body, null, 2)}
      </pre>
    </details>
  </section>
)

/** Why a request is refused, as its client reads it. */
export function Refusal({ answer: { status, body } }: { readonly answer: RefusedAnswer }) {
  const { error, code, ...rest } = Object(body)
  const fields = typeof error === 'object' ? error : { code, message: error, ...rest }
  return (
    <p class="outcome">
      <State tone="warn">
        {status} {fields.code} {fields.type !== fields.code && fields.type}
      </State>{' '}
      <bdi class="muted">{fields.message}</bdi>
    </p>
  )
}

function Step({ step, isFurther }: { readonly step: ShownStep; readonly isFurther: boolean }) {
  const { stage, outcome, file, line } = step
  return (
    <li class={outcome}>
      <span class="stage">{isFurther ? '' : stage}</span>
      <span class="sign">
        <span aria-hidden="true">{outcome === 'deny' ? '✗' : stage === 'route' ? '·' : '✓'}</span>
        <span class="hidden">{outcome === 'deny' ? text.stepRefused : text.stepPassed}</span>
      </span>
      <bdi>{step.text}</bdi>
      {file !== null && (
        <code class="muted">
          {file}:{line}
        </code>
      )}
    </li>
  )
}

function Outcome({ past: { outcome, answer, verdict } }: { readonly past: ShownPast }) {
  if (answer) return <Refusal answer={answer} />
  return (
    <p class="outcome">
      <State tone="ok">{verdict === 'allow' ? text.admitted : text.refused}</State>{' '}
      <span class="muted">
        {[outcome?.model, outcome?.route && text.by(outcome.route), outcome?.pools?.join(text.thenNext)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </p>
  )
}

function noteOf({ revision, same_files, agrees }: ShownPast): string {
  if (same_files && agrees) return text.decidedByRevisionWhich(revision)
  const then = text.anotherRevisionDecided(revision)
  if (!same_files) return agrees ? text.theSame(then) : text.somethingElse(then)
  return text.revisionDecided(revision)
}

function textOf(remedy: ShownRemedy): ComponentChildren {
  switch (remedy.change) {
    case 'time':
      return text.againAt(<Time at={remedy.at} isExact />)
    case 'max_tokens':
      if (remedy.to === undefined) return text.withMaxTokensOfAtLeast(remedy.from)
      return remedy.from === 1 ? text.withMaxTokens(remedy.to) : text.withMaxTokensFrom(remedy.from, remedy.to)
    case 'thinking':
      return text.withChatTemplateKwargs
    case 'plan':
      return text.inPlan(listed(remedy.names))
    case 'model':
      return text.withModel(listed(remedy.names))
    case 'pool':
      return text.whileAnswers(listed(remedy.names))
    case 'room':
      return text.whileHasAFreeSlot(listed(remedy.names))
    case 'under_way':
      return text.whileNoMoreThan(remedy.to)
    case 'held':
      return text.whileRunningRequestsReserve(exactUsd((remedy.to / 1e9).toFixed(9)))
  }
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : text.or(names.slice(0, -1).join(', '), names.at(-1) ?? '')
