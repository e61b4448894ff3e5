import type { ShownPast, ShownRemedy, ShownStep } from '../../../src/wire/admin/past.ts'
import { exactUsd } from '../shared/fmt.ts'
import { exactTime } from './time.ts'

/** The stages that a request went through, what it came to, and what would have had it admitted. */
export const Decision = ({ past }: { readonly past: ShownPast }) => (
  <>
    <section>
      <h2>Why</h2>
      <div class="box">
        <ol class="steps">
          {past.stages.map((step, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
            <Step key={at} step={step} isFurther={past.stages[at - 1]?.stage === step.stage} />
          ))}
        </ol>
        <Outcome past={past} />
      </div>
      <p class="small muted">{noteOf(past)}</p>
    </section>
    {past.allowed_if.length > 0 && (
      <section>
        <h2>It would be allowed</h2>
        <ul class="box pad bullets">
          {past.allowed_if.map(remedy => (
            <li key={JSON.stringify(remedy)}>{textOf(remedy)}</li>
          ))}
        </ul>
      </section>
    )}
    {past.answer && (
      <section>
        <h2>What the client got</h2>
        <details class="box pad">
          <summary>{past.answer.status} with its headers and body</summary>
          <pre>
            {Object.entries(past.answer.headers)
              .map(([name, value]) => `${name}: ${value}\n`)
              .join('')}
            {'\n'}
            {JSON.stringify(past.answer.body, null, 2)}
          </pre>
        </details>
      </section>
    )}
  </>
)

function Step({ step, isFurther }: { readonly step: ShownStep; readonly isFurther: boolean }) {
  const { stage, outcome, text, file, line } = step
  return (
    <li class={outcome}>
      <span class="stage">{isFurther ? '' : stage}</span>
      <span class="sign">
        <span aria-hidden="true">{outcome === 'deny' ? '✗' : stage === 'route' ? '·' : '✓'}</span>
        <span class="hidden">{outcome === 'deny' ? 'refused' : 'passed'}</span>
      </span>
      <bdi>{text}</bdi>
      {file !== null && (
        <code class="muted">
          {file}:{line}
        </code>
      )}
    </li>
  )
}

function Outcome({ past: { outcome, answer, verdict } }: { readonly past: ShownPast }) {
  if (answer) {
    const { error, code, ...rest } = Object(answer.body)
    const fields = typeof error === 'object' ? error : { code, message: error, ...rest }
    return (
      <p class="outcome">
        <span class="dot warn">
          {answer.status} {fields.code} {fields.type !== fields.code && fields.type}
        </span>{' '}
        <bdi class="muted">{fields.message}</bdi>
      </p>
    )
  }
  return (
    <p class="outcome">
      <span class="dot ok">{verdict === 'allow' ? 'Admitted' : 'Refused'}</span>{' '}
      <span class="muted">
        {[outcome?.model, outcome?.route && `by ${outcome.route}`, outcome?.pools?.join(', then ')]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </p>
  )
}

function noteOf({ revision, same_files, agrees }: ShownPast): string {
  if (same_files && agrees)
    return `Decided by revision ${revision}, which serves now. Deciding it again comes to the same answer, byte for byte.`
  const then = `Another revision decided it; this is what revision ${revision}, which serves now, comes to`
  if (!same_files) return agrees ? `${then}: the same.` : `${then}: something else.`
  return `Revision ${revision} decided it, and comes to something else now: variables of the environment may differ.`
}

function textOf(remedy: ShownRemedy): string {
  switch (remedy.change) {
    case 'time':
      return `again at ${exactTime(remedy.at)}`
    case 'max_tokens':
      return remedy.from === 1
        ? `with max_tokens of at most ${remedy.to}`
        : `with max_tokens from ${remedy.from} to ${remedy.to}`
    case 'thinking':
      return 'with chat_template_kwargs {"enable_thinking": false}'
    case 'plan':
      return `in plan ${listed(remedy.names)}`
    case 'model':
      return `with model ${listed(remedy.names)}`
    case 'pool':
      return `while ${listed(remedy.names)} answers`
    case 'under_way':
      return `while no more than ${remedy.to} other requests are running`
    case 'held':
      return `while running requests reserve no more than ${exactUsd((remedy.to / 1e9).toFixed(9))}`
  }
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
