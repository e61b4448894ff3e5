import { refine } from '../shared/frame/router.ts'
import { useResource } from '../shared/resource.ts'
import { listNames } from './api/names.ts'
import type { RequestFilter } from './api/requests.ts'

/** Narrows the list; what is chosen is in the address. */
export function RequestFilters({ filter }: { readonly filter: RequestFilter }) {
  const { data } = useResource(listNames)
  return (
    <search class="filters">
      <Choice name="status" all="Any status" filter={filter} options={STATUSES} />
      <Choice name="plan" all="Any plan" filter={filter} options={pairs(data?.plans)} />
      <Choice name="model" all="Any model" filter={filter} options={pairs(data?.models)} />
      <Choice name="pool" all="Any pool" filter={filter} options={pairs(data?.pools)} />
      <Text name="account" label="Account" filter={filter} />
      <Text name="code" label="Code or type" filter={filter} />
    </search>
  )
}

const STATUSES = [
  ['2xx', 'Served'],
  ['4xx', 'Refused: 4xx'],
  ['429', 'Limited: 429'],
  ['5xx', 'Failed: 5xx'],
] as const

type Options = readonly (readonly [value: string, text: string])[]

const pairs = (names: readonly string[] = []): Options => names.map(name => [name, name])

interface FieldProps {
  readonly name: keyof RequestFilter
  readonly filter: RequestFilter
}

function Choice({ name, all, filter, options }: FieldProps & { readonly all: string; readonly options: Options }) {
  const chosen = filter[name] ?? ''
  const isListed = chosen === '' || options.some(([value]) => value === chosen)
  return (
    <select
      aria-label={all.replace('Any ', 'By ')}
      value={chosen}
      onChange={event => refine({ [name]: event.currentTarget.value })}
    >
      <option value="">{all}</option>
      {!isListed && <option value={chosen}>{chosen}</option>}
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

const Text = ({ name, label, filter }: FieldProps & { readonly label: string }) => (
  <input
    type="search"
    aria-label={`By ${label.toLowerCase()}`}
    placeholder={name === 'account' ? `${label}  /` : label}
    value={filter[name] ?? ''}
    onChange={event => refine({ [name]: event.currentTarget.value.trim() })}
  />
)
