import { useState } from 'preact/hooks'
import type { ShownPlanLimits } from '../../../src/wire/admin/matrix.ts'
import type { ShownPlanCount } from '../../../src/wire/admin/revision.ts'
import { useFind } from '../shared/find.tsx'
import { exactUsd } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { useResource } from '../shared/resource.ts'
import { State } from '../shared/state.tsx'
import { Header, Loaded } from '../shared/states.tsx'
import { Table } from '../shared/table.tsx'
import { countPlans, type Matrix, readMatrix } from './api/plans.ts'
import { Origin } from './command.tsx'
import * as text from './texts/plans.tsx'

/** Which models and tools each plan has and by which entry, and what it allows. */
export function Plans() {
  const matrix = useResource(readMatrix, 60_000)
  const counts = useResource(countPlans)
  return (
    <>
      <Header title={text.plans}>{text.whoMayUse}</Header>
      <Loaded of={matrix}>
        {data => (
          <>
            <PlanCards matrix={data} counts={counts.data?.plans} />
            <Includes matrix={data} />
          </>
        )}
      </Loaded>
      <Origin command="svcctl show --matrix" />
    </>
  )
}

interface CardsProps {
  readonly matrix: Matrix
  readonly counts: readonly ShownPlanCount[] | undefined
}

function PlanCards({ matrix: { plans, data }, counts }: CardsProps) {
  const gone = counts?.filter(({ declared }) => !declared) ?? []
  return (
    <section aria-label={text.plans}>
      {gone.length > 0 && (
        <p class="note bad">
          {text.accountsAreOnPlans(gone.map(({ plan, accounts }) => `${plan} (${accounts})`).join(', '))}
        </p>
      )}
      <div class="plans">
        {plans.map(plan => (
          <Card
            key={plan.plan}
            plan={plan}
            models={Object.values(data.find(row => row.plan === plan.plan)?.models ?? {}).filter(Boolean).length}
            accounts={counts?.find(each => each.plan === plan.plan)?.accounts}
          />
        ))}
      </div>
    </section>
  )
}

interface CardProps {
  readonly plan: ShownPlanLimits
  readonly models: number
  readonly accounts: number | undefined
}

const Card = ({ plan: { plan, at, list, overage }, models, accounts }: CardProps) => (
  <article class="box pad">
    <div class="split end-line">
      <h2>
        <bdi>{plan}</bdi>
      </h2>
      <span class="muted">{text.models(models)}</span>
    </div>
    <p class="muted">
      {accounts === undefined ? (
        '–'
      ) : (
        <Link to="accounts" query={{ plan }}>
          {text.accounts(accounts)}
        </Link>
      )}
    </p>
    <ul class="limits">
      {list.map(({ limit, text, at: place }) => (
        <li key={limit}>
          <span>{text}</span>{' '}
          <code class="muted" title={lineOf(place)}>
            {lineOf(place).replace(`${lineOf(at).replace(/\d+$/, '')}`, ':')}
          </code>
        </li>
      ))}
      <li>
        <span>{overageText(overage)}</span>
      </li>
    </ul>
    <p class="small muted">{text.fromIt(lineOf(at))}</p>
  </article>
)

const overageText = (overage: ShownPlanLimits['overage']): string => {
  if (overage === 'off') return 'no overage'
  return overage === 'on' ? 'unlimited overage' : text.overageUpTo(exactUsd(overage.cap_usd).replace(WHOLE, ''))
}

/** Cents of a whole amount, which the limits above it leave out too. */
const WHOLE = /[.,]00$/

/** `policies/plans.yaml:21`: without the column. */
const lineOf = (place: string): string => place.replace(/:\d+$/, '')

function Includes({ matrix: { data, plans } }: { readonly matrix: Matrix }) {
  const [isWhere, setWhere] = useState(false)
  const { field, word } = useFind(text.findAModel)
  const [models, tools] = (['models', 'tools'] as const).map(kind =>
    Object.keys(data[0]?.[kind] ?? {}).filter(name => name.toLowerCase().includes(word)),
  )
  const rows = [
    ...(models ?? []).map(name => ({ kind: 'models' as const, name })),
    ...(tools ?? []).map(name => ({ kind: 'tools' as const, name })),
  ]
  return (
    <section>
      <div class="split end-line">
        <h2>{text.modelsAndTools}</h2>
        <div class="filters">
          {field}
          <label class="check">
            <input type="checkbox" checked={isWhere} onChange={event => setWhere(event.currentTarget.checked)} />
            {text.showLines}
          </label>
        </div>
      </div>
      <div class="matrix">
        <Table
          label={text.modelsAndToolsByPlan}
          columns={[{ title: text.name }, ...plans.map(({ plan }) => ({ title: plan }))]}
        >
          <tbody>
            {rows.map(({ kind, name }) => (
              <tr key={`${kind} ${name}`}>
                <th scope="row">
                  <code>{name}</code>
                  {kind === 'tools' && <span class="small muted">{text.tool}</span>}
                </th>
                {data.map(row => {
                  const found = row[kind][name]
                  return (
                    <td key={row.plan}>
                      {found ? (
                        <State tone="ok" title={found.at}>
                          {found.by}
                        </State>
                      ) : (
                        <span class="muted">–</span>
                      )}
                      {found && isWhere && (
                        <p class="small">
                          <code class="muted">{lineOf(found.at)}</code>
                        </p>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </section>
  )
}
