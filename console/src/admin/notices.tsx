import { useState } from 'preact/hooks'
import type { ShownNotice } from '../../../src/wire/admin/notice.ts'
import type { ApiProblem } from '../shared/api.ts'
import { number } from '../shared/fmt.ts'
import { query, refine } from '../shared/frame/router.ts'
import { toast } from '../shared/frame/toast.tsx'
import { problemFrom, useResource } from '../shared/resource.ts'
import { State } from '../shared/state.tsx'
import { Empty, Header, Loaded, Problem } from '../shared/states.tsx'
import { Table } from '../shared/table.tsx'
import { Time } from '../shared/time/time.tsx'
import { listNotices, retryNotices, testTarget } from './api/notices.ts'
import { may } from './api/who.ts'
import { Origin } from './command.tsx'
import { RoleNote } from './role-note.tsx'
import * as frame from './texts/frame.tsx'
import * as text from './texts/notices.tsx'

/** Notices and how far each came; those that did not arrive are sent again from here. */
export function Notices() {
  const state = query.value.get('state') ?? ''
  return (
    <>
      <Header
        title={frame.notices}
        aside={
          <select
            aria-label={text.state}
            value={state}
            onChange={event => refine({ state: event.currentTarget.value })}
          >
            <option value="">{text.all}</option>
            {text.states.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        }
      >
        {text.about}
      </Header>
      <List key={state} state={state} />
      <Origin command={`svcctl notices list${state && ` --state ${state}`}`} />
    </>
  )
}

function List({ state }: { readonly state: string }) {
  const shown = useResource(() => listNotices(state), EVERY_MS)
  const [problem, setProblem] = useState<ApiProblem>()
  const act = async (work: () => Promise<unknown>) => {
    try {
      await work()
      setProblem(undefined)
    } catch (error) {
      setProblem(problemFrom(error))
    }
  }
  const retry = (id?: string) =>
    void act(async () => {
      const { retried } = await retryNotices(id)
      toast(text.sending(number(retried)))
      await shown.refresh()
    })
  const test = (event: SubmitEvent) => {
    event.preventDefault()
    const target = String(new FormData(event.currentTarget as HTMLFormElement).get('target')).trim()
    void act(async () => {
      const { delivered, error } = await testTarget(target)
      toast(delivered ? text.took(target) : text.refused(target, String(error)))
    })
  }
  return (
    <Loaded of={shown}>
      {({ data, next, waiting }) => (
        <>
          <div class="row">
            <span>{text.waiting(number(waiting))}</span>
            {may('admin') && data.length > 0 && (
              <button type="button" onClick={() => retry()}>
                {text.allAgain}
              </button>
            )}
          </div>
          {problem && <Problem problem={problem} />}
          {data.length === 0 ? (
            <Empty fact={text.none}>
              <p class="muted">{state ? text.noneSo : text.noneYet}</p>
            </Empty>
          ) : (
            <NoticeTable rows={data} onRetry={retry} />
          )}
          {next !== null && <p class="muted">{text.more}</p>}
          {may('admin') ? (
            <form class="row" onSubmit={test}>
              <input name="target" required aria-label={text.target} placeholder={text.target} />
              <button type="submit">{text.test}</button>
            </form>
          ) : (
            <RoleNote />
          )}
        </>
      )}
    </Loaded>
  )
}

/** The gateway may look through many notices for those of a state. */
const EVERY_MS = 10_000

interface NoticeTableProps {
  readonly rows: readonly ShownNotice[]
  readonly onRetry: (id: string) => void
}

const TONES = { waiting: 'warn', delivered: 'ok', failed: 'bad' } as const

/** Notices whose targets are gone from the files have no delivery. */
const NOBODY = [{ target: '—', state: null, tries: 0, error: null }]

const NoticeTable = ({ rows, onRetry }: NoticeTableProps) => (
  <Table
    label={text.newest}
    columns={[
      { title: text.at },
      { title: text.notice },
      { title: text.target },
      { title: text.state },
      { title: text.tries, num: true, narrow: true },
    ]}
  >
    <tbody>
      {rows.flatMap(({ id, at, text: said, deliveries }) =>
        (deliveries.length > 0 ? deliveries : NOBODY).map(({ target, state, tries, error }) => (
          <tr key={`${id} ${target}`}>
            <td class="nowrap">
              <Time at={at} />
            </td>
            <td class="anywhere">
              <bdi>{said}</bdi>
              {error !== null && (
                <p class="small muted">
                  <bdi>{error}</bdi>
                </p>
              )}
              {error !== null && may('admin') && (
                <button type="button" onClick={() => onRetry(id)}>
                  {text.again}
                </button>
              )}
            </td>
            <td>
              <bdi>{target}</bdi>
            </td>
            <td class="nowrap">{state && <State tone={TONES[state]}>{state}</State>}</td>
            <td class="num narrow">{number(tries)}</td>
          </tr>
        )),
      )}
    </tbody>
  </Table>
)
