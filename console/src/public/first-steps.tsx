import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { OwnKey } from '../../../src/wire/key.ts'
import { ask } from '../shared/api.ts'
import { Link } from '../shared/frame/link.tsx'
import { useResource } from '../shared/resource.ts'
import { State } from '../shared/state.tsx'
import { hasAskedModel, newestOwn } from './requests/read-own.ts'
import * as text from './texts/first-steps.tsx'

/** The way of a new account from its key over its first request to its usage, with what is done of it. */
export function FirstSteps({ onRequest }: { readonly onRequest: () => void }) {
  const keys = useResource<{ readonly data: readonly OwnKey[] }>(() => ask('/v1/keys/developer'), EVERY_MS)
  const requests = useResource(() => newestOwn(SOME), EVERY_MS)
  const hasKey = keys.data?.data.some(({ status }) => status === 'active') === true
  const hasRequest = requests.data?.data.some(hasAskedModel) === true
  useEffect(() => {
    if (hasRequest) onRequest()
  }, [hasRequest])
  const next = hasRequest ? 2 : hasKey ? 1 : 0
  return (
    <section class="box pad first-steps">
      <h2>{text.title}</h2>
      <ol>
        <Step name={text.key} isDone={hasKey} isNext={next === 0}>
          {hasKey ? <Link to="keys">{text.yourKeys}</Link> : <Link to="keys">{text.createKey}</Link>}
        </Step>
        <Step name={text.request} isDone={hasRequest} isNext={next === 1}>
          {hasRequest ? (
            <Link to="requests">{text.seeIt}</Link>
          ) : (
            text.howTo(
              words => <Link to="keys">{words}</Link>,
              words => <Link to="try">{words}</Link>,
            )
          )}
        </Step>
        <Step name={text.usage} isDone={false} isNext={next === 2}>
          {text.aMomentLater}
        </Step>
      </ol>
    </section>
  )
}

interface StepProps {
  readonly name: string
  readonly isDone: boolean
  readonly isNext: boolean
  readonly children: ComponentChildren
}

const Step = ({ name, isDone, isNext, children }: StepProps) => (
  <li {...(isNext && { 'aria-current': 'step' as const })}>
    <State tone={isDone ? 'ok' : ''}>
      <b>{name}</b>
      {isDone && <span class="hidden"> {text.done}</span>}
    </State>
    <p class="what muted">{children}</p>
  </li>
)

const EVERY_MS = 5000
/** The console's own changes of keys are requests too. */
const SOME = 20
