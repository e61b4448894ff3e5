import { useState } from 'preact/hooks'
import type { ErrorList } from '../../../../src/wire/errors/list.ts'
import type { Outcome, OwnRequest } from '../../../../src/wire/own-request.ts'
import { askOpen } from '../../shared/api.ts'
import { useFind } from '../../shared/find.tsx'
import { query } from '../../shared/frame/router.ts'
import { useResource } from '../../shared/resource.ts'
import { Empty, Header, Loaded, Problem } from '../../shared/states.tsx'
import { Time } from '../../shared/time/time.tsx'
import { NothingYet } from '../nothing-yet.tsx'
import * as frameText from '../texts/frame.tsx'
import * as text from '../texts/requests.tsx'
import { useRequests } from './follow-requests.ts'
import { type KeyNames, useKeyNames } from './key-names.ts'
import { OneRequest } from './one-request.tsx'
import { RequestRow } from './request-row.tsx'

/** The newest requests of the account, or the one that the address names. */
export function Requests() {
  const id = query.value.get('id')
  return id === null ? <Newest /> : <OneRequest id={id} />
}

/** The newest requests with their outcomes, and why some were refused. */
function Newest() {
  const [outcome, choose] = useState<Outcome | ''>('')
  const { field, word } = useFind(text.find)
  const filters = (
    <div class="row">
      {field}
      <select
        aria-label={text.filter}
        value={outcome}
        onChange={event => choose(event.currentTarget.value as Outcome | '')}
      >
        {text.filters.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
  return (
    <>
      <Header title={frameText.titles.requests} aside={filters}>
        {text.about}
      </Header>
      <List key={outcome} outcome={outcome === '' ? undefined : outcome} word={word} />
    </>
  )
}

interface ListProps {
  readonly outcome: Outcome | undefined
  readonly word: string
}

function List({ outcome, word }: ListProps) {
  const { newest, rows, older, isAsking, problem } = useRequests(outcome)
  const docs = useResource<ErrorList>(() => askOpen('/docs/errors.json'))
  const nameOf = useKeyNames()
  const found = rows.filter(row => `${wordsOf(row)} ${nameOf(row.key).toLowerCase()}`.includes(word))
  return (
    <Loaded of={newest}>
      {data => (
        <section>
          {rows.length === 0 && <None outcome={outcome} />}
          {rows.length > 0 && found.length === 0 && <p class="muted">{text.noneFound}</p>}
          {found.length > 0 && <Table rows={found} docs={docs.data} nameOf={nameOf} />}
          {problem && <Problem problem={problem} />}
          <div class="split small muted">
            <p>
              {text.since(<Time at={data.refusals_since} isExact />)} {!data.complete && text.incomplete}
            </p>
            {older && (
              <button type="button" disabled={isAsking} onClick={older}>
                {text.older}
              </button>
            )}
          </div>
        </section>
      )}
    </Loaded>
  )
}

const None = ({ outcome }: { readonly outcome: Outcome | undefined }) =>
  outcome === undefined ? (
    <NothingYet fact={text.none} words={text.noneYet} />
  ) : (
    <Empty fact={text.noneSuch[outcome]}>{outcome !== 'ok' && <p class="muted">{text.noneSuchYet}</p>}</Empty>
  )

/** The words by which a row is found. */
const wordsOf = ({ id, asked, model, status, code, type, message, upstream, route, path }: OwnRequest): string =>
  [id, asked, model, status, code, type, message, upstream, route, path].join(' ').toLowerCase()

interface TableProps {
  readonly rows: readonly OwnRequest[]
  readonly docs: ErrorList | undefined
  readonly nameOf: KeyNames
}

function Table({ rows, docs, nameOf }: TableProps) {
  const [opened, open] = useState<string>()
  const close = (event: KeyboardEvent) => {
    if (event.key === 'Escape') open(undefined)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="box scroll table" aria-label={frameText.titles.requests} tabIndex={0} onKeyDown={close}>
      <table class="requests">
        <thead>
          <tr>
            <th scope="col">{text.time}</th>
            <th scope="col">{text.status}</th>
            <th scope="col">{text.model}</th>
            <th scope="col" class="narrow">
              {text.key}
            </th>
            <th scope="col" class="num narrow">
              {text.tokens}
            </th>
            <th scope="col" class="num narrow">
              {text.cost}
            </th>
            <th scope="col" class="num narrow">
              {text.ms}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <RequestRow
              key={row.id}
              request={row}
              docs={docs}
              keyName={nameOf(row.key)}
              isOpen={row.id === opened}
              onToggle={() => open(row.id === opened ? undefined : row.id)}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}
