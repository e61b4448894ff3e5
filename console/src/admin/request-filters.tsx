import { useLayoutEffect, useRef } from 'preact/hooks'
import { navigate, refine } from '../shared/frame/router.ts'
import { useResource } from '../shared/resource.ts'
import { listNames } from './api/names.ts'
import type { PastFilter, RequestFilter } from './api/requests.ts'
import * as text from './texts/requests.tsx'

/** Narrows the list; what is chosen is in the address. */
export function RequestFilters({ filter }: { readonly filter: RequestFilter }) {
  const { data } = useResource(listNames)
  return (
    <search class="filters">
      <When />
      <Choice name="status" label={text.byStatus} all={text.anyStatus} filter={filter} options={STATUSES} />
      <Choice name="plan" label={text.byPlan} all={text.anyPlan} filter={filter} options={pairs(data?.plans)} />
      <Choice name="model" label={text.byModel} all={text.anyModel} filter={filter} options={pairs(data?.models)} />
      <Choice name="pool" label={text.byPool} all={text.anyPool} filter={filter} options={pairs(data?.pools)} />
      <Text name="account" label={text.byAccount} placeholder={text.findAccount} filter={filter} />
      <Text name="code" label={text.byCodeOrType} placeholder={text.codeOrType} filter={filter} />
    </search>
  )
}

/** Filters of past requests: the ledger knows neither their status nor the reason of a refusal. */
export function PastFilters({ filter }: { readonly filter: PastFilter }) {
  const { data } = useResource(listNames)
  return (
    <search class="filters">
      <When since={filter.since} />
      <Choice name="errors" label={text.byOutcome} all={text.anyOutcome} filter={filter} options={OUTCOMES} />
      <Choice name="model" label={text.byModel} all={text.anyModel} filter={filter} options={pairs(data?.models)} />
      <Choice name="pool" label={text.byPool} all={text.anyPool} filter={filter} options={pairs(data?.pools)} />
      <Text name="account" label={text.byAccount} placeholder={text.findAccount} filter={filter} />
      <Text name="key" label={text.byKey} placeholder={text.keyOrId} filter={filter} />
      <Text name="label" label={text.labels} placeholder={text.labels} filter={filter} />
    </search>
  )
}

/** Chooses between this process's newest requests, as they end, and past ones. Drops filters that the other list lacks. */
const When = ({ since = '' }: { readonly since?: string | undefined }) => (
  <select
    aria-label={text.byTime}
    value={since}
    onChange={({ currentTarget: { value } }) =>
      refine({
        since: value,
        ...(value === '' ? { errors: '', key: '', label: '' } : { status: '', plan: '', code: '' }),
      })
    }
  >
    <option value="">{text.now}</option>
    {text.PERIODS.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
)

const OUTCOMES = [['true', text.refusedOrFailed]] as const

const STATUSES = [
  ['2xx', text.served],
  ['4xx', text.refused4xx],
  ['429', text.limited429],
  ['5xx', text.failed5xx],
] as const

type Options = readonly (readonly [value: string, text: string])[]

const pairs = (names: readonly string[] = []): Options => names.map(name => [name, name])

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly filter: Readonly<Record<string, string | undefined>>
}

function Choice({
  name,
  label,
  all,
  filter,
  options,
}: FieldProps & { readonly all: string; readonly options: Options }) {
  const chosen = filter[name] ?? ''
  const isListed = chosen === '' || options.some(([value]) => value === chosen)
  return (
    <select aria-label={label} value={chosen} onChange={event => refine({ [name]: event.currentTarget.value })}>
      <option value="">{all}</option>
      {!isListed && <option value={chosen}>{chosen}</option>}
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** The field keeps what is typed until it is whole: the names of the other filters come later, and draw this one anew. */
function Text({ name, label, placeholder, filter }: FieldProps & { readonly placeholder: string }) {
  const field = useRef<HTMLInputElement>(null)
  const value = filter[name] ?? ''
  useLayoutEffect(() => {
    if (field.current) field.current.value = value
  }, [value])
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      onChange={event => look(name, event.currentTarget.value.trim())}
    />
  )
}

/** A whole request id opens that request, whichever field it is pasted into. */
const look = (name: string, word: string): void =>
  REQUEST_ID.test(word) ? navigate('requests', { id: word }) : refine({ [name]: word })

const REQUEST_ID = /^req_[0-9A-Z]{26}$/
