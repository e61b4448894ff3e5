import type { ErrorList } from '../../../src/wire/errors/list.ts'
import { Link } from '../shared/frame/link.tsx'
import { Marked } from '../shared/marked.tsx'
import * as errorsText from './texts/errors.tsx'
import * as frameText from './texts/frame.tsx'
import * as text from './texts/requests.tsx'

interface AdviceProps {
  readonly code: string | null
  readonly type: string | null
  readonly docs: ErrorList | undefined
}

/** The remedy for a refusal, and the page that offers it. */
export function Advice({ code, type, docs }: AdviceProps) {
  const doc = docs?.data.find(each => each.code === code)
  if (!doc) return null
  const isOfPlan = type === 'plan_limit'
  return (
    <dl class="terms">
      <div class="term">
        <dt>{errorsText.retry}</dt>
        <dd>{isOfPlan ? text.neverRetry : <Marked text={doc.retry} />}</dd>
      </div>
      <div class="term">
        <dt>{errorsText.todo}</dt>
        <dd>
          {isOfPlan ? text.planTodo : <Marked text={doc.todo} />}{' '}
          <span class="links">
            {isOfPlan && <Link to="models">{text.planModels}</Link>}
            {doc.code === 'quota_exceeded' && <Link to="billing">{frameText.titles.billing}</Link>}
            <Link to={`errors#${doc.code}`}>{text.aboutError}</Link>
          </span>
        </dd>
      </div>
    </dl>
  )
}
