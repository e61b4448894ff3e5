import { useState } from 'preact/hooks'
import { useResource } from '../../shared/resource.ts'
import { readMatrix } from '../api/plans.ts'
import { quoted } from '../shell.ts'
import * as text from '../texts/account-dialogs.tsx'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'

/** Puts an account on a plan, or lets its sign-in choose the plan again. */
export function PlanDialog(props: ChangeDialogProps) {
  const { account, label, plan, plan_source } = props.account
  const matrix = useResource(readMatrix)
  const [chosen, choose] = useState(plan ?? '')
  const change =
    chosen === ''
      ? {
          path: 'accounts/plan',
          body: { account, plan: null },
          command: `svcctl accounts set-plan ${account} --clear`,
          done: text.thePlan,
        }
      : {
          path: 'accounts/plan',
          body: { account, plan: chosen },
          command: `svcctl accounts set-plan ${account} ${quoted(chosen)}`,
          done: text.onPlan(chosen),
        }
  return (
    <AskDialog {...props} title={text.setThePlanOf(label)} action={text.setPlan} change={change}>
      <p>{text.itHolds}</p>
      <label class="field">
        {text.plan}
        <select value={chosen} onChange={event => choose(event.currentTarget.value)}>
          {(matrix.data?.plans.map(each => each.plan) ?? [plan ?? '']).filter(Boolean).map(each => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
          {plan_source === 'operator' && <option value="">{text.asItsSign}</option>}
        </select>
      </label>
    </AskDialog>
  )
}
