import { useState } from 'preact/hooks'
import { COUNT_PATTERN, nanoUsdOf, USD_PATTERN } from '../../shared/amount.ts'
import { useResource } from '../../shared/resource.ts'
import { type Change, type LimitRule, limitText } from '../api/accounts.ts'
import { readMatrix } from '../api/plans.ts'
import { quoted } from '../shell.ts'
import * as text from '../texts/limits.tsx'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'

/** Sets a limit of any measure, window and scope for one account. */
export function LimitDialog(props: ChangeDialogProps) {
  const { account, label } = props.account
  const matrix = useResource(readMatrix)
  const [fields, setFields] = useState({
    measure: 'usd',
    most: '',
    per: 'month',
    idle: 'idle:24h',
    of: 'account',
    model: '',
  })
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value })
  const models = Object.keys(matrix.data?.data[0]?.models ?? {})
  const isMoney = fields.measure === 'usd'
  return (
    <AskDialog {...props} title={text.setALimitOf(label)} action={text.setLimitNow} change={changeOf(account, fields)}>
      <p>{text.itStandsInPlace}</p>
      <div class="fields">
        <Choice label={text.whatCounts} value={fields.measure} options={MEASURES} onChoose={set('measure')} />
        <label class="field">
          {isMoney ? text.atMostUsDollars : text.atMost}
          <input
            required
            inputMode="decimal"
            autocomplete="off"
            pattern={isMoney ? USD_PATTERN : COUNT_PATTERN}
            value={fields.most}
            onInput={event => set('most')(event.currentTarget.value.trim())}
          />
        </label>
        {fields.of === 'session' ? (
          <Choice label={text.endsWithoutRequestsFor} value={fields.idle} options={IDLE_TIMES} onChoose={set('idle')} />
        ) : (
          fields.measure !== 'concurrent' && (
            <Choice label={text.inEach} value={fields.per} options={WINDOWS} onChoose={set('per')} />
          )
        )}
        <Choice
          label={text.sharedBy}
          value={fields.of}
          options={SCOPES.filter(([of]) => of !== 'session' || fields.measure !== 'concurrent')}
          onChoose={set('of')}
        />
        <Choice
          label={text.forIt}
          value={fields.model}
          options={[['', 'all models'], ...models.map(model => [model, model] as const)]}
          onChoose={set('model')}
        />
      </div>
    </AskDialog>
  )
}

interface Fields {
  readonly measure: string
  readonly most: string
  readonly per: string
  readonly idle: string
  readonly of: string
  readonly model: string
}

function changeOf(account: string, { measure, most, of, model, ...fields }: Fields): Change | undefined {
  const amount = measure === 'usd' ? nanoUsdOf(most) : /^[1-9]\d{0,14}$/.test(most) ? Number(most) : undefined
  if (amount === undefined) return undefined
  const per = of === 'session' ? fields.idle : fields.per
  const limit = {
    ...{ measure, most: amount },
    ...(measure !== 'concurrent' && { per }),
    ...(of !== 'account' && { of }),
    ...(model !== '' && { model }),
  } as LimitRule
  return {
    path: 'accounts/limit',
    body: { account, limit },
    command: `svcctl accounts set-limit ${account} ${quoted(limitText(limit))}`,
    done: text.limitSet,
  }
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChoose: (value: string) => void
}

const Choice = ({ label, value, options, onChoose }: ChoiceProps) => (
  <label class="field">
    {label}
    <select value={value} onChange={event => onChoose(event.currentTarget.value)}>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

const MEASURES = Object.entries(text.measures)

const WINDOWS = [
  ['second', 'second'],
  ['minute', 'minute'],
  ['hour', 'hour'],
  ['day', text.calendarDay],
  ['week', text.calendarWeek],
  ['month', text.calendarMonth],
  ['7d', text.last7Days],
  ['30d', text.last30Days],
  ['90d', text.last90Days],
] as const

const IDLE_TIMES = [
  ['idle:1h', '1 hour'],
  ['idle:8h', '8 hours'],
  ['idle:24h', '24 hours'],
  ['idle:168h', '7 days'],
] as const

const SCOPES = [
  ['account', 'the account'],
  ['key', 'each key separately'],
  ['user', 'each end user separately'],
  ['session', 'each session separately'],
] as const
