import { useState } from 'preact/hooks'
import type { ShownExplained } from '../../../../src/wire/admin/explained.ts'
import type { ShownChoice } from '../../../../src/wire/admin/pool-choice.ts'
import type { ApiProblem } from '../../shared/api.ts'
import { exactUsd, number } from '../../shared/fmt.ts'
import { Link } from '../../shared/frame/link.tsx'
import { query } from '../../shared/frame/router.ts'
import { problemFrom, useResource } from '../../shared/resource.ts'
import { State } from '../../shared/state.tsx'
import { Header, Loaded, Problem } from '../../shared/states.tsx'
import { Table } from '../../shared/table.tsx'
import { Time } from '../../shared/time/time.tsx'
import { readAccount, type WholeAccount } from '../api/accounts.ts'
import { commandOf, explain, type Question } from '../api/explain.ts'
import { type Matrix, readMatrix } from '../api/plans.ts'
import { Origin } from '../command.tsx'
import { ClientAnswer, Refusal, Remedies, Stages } from '../decision.tsx'
import * as text from '../texts/would-serve.tsx'
import { nameOfUse, Use } from './account-limits.tsx'

/** Asks whether a request of an account would be served now, and shows the answer with its reasons. */
export function WouldServe({ id }: { readonly id: string }) {
  const whole = useResource(() => readAccount(id))
  const matrix = useResource(readMatrix)
  const [question, pose] = useState<Question>({
    account: id,
    key: query.value.get('key') ?? '',
    model: query.value.get('model') ?? '',
    promptTokens: '500',
    maxTokens: '',
    stream: false,
    tools: [],
  })
  const [answer, setAnswer] = useState<ShownExplained>()
  const [problem, setProblem] = useState<ApiProblem>()
  const submit = async (event: Event) => {
    event.preventDefault()
    setProblem(undefined)
    try {
      setAnswer(await explain(question))
    } catch (error) {
      setAnswer(undefined)
      setProblem(problemFrom(error))
    }
  }
  return (
    <>
      <Header title={text.title}>
        {text.lead}{' '}
        <Link to="accounts" query={{ id }} keys="Escape">
          {text.backTo(whole.data?.account.label ?? id)}
        </Link>
      </Header>
      <Loaded of={whole}>
        {data => (
          <Loaded of={matrix}>{plans => <Form {...{ question, pose, submit }} whole={data} matrix={plans} />}</Loaded>
        )}
      </Loaded>
      {problem && <Problem problem={problem} />}
      {answer && <Answer answer={answer} />}
      <Origin command={commandOf(question)} />
    </>
  )
}

interface FormProps {
  readonly question: Question
  readonly pose: (question: Question) => void
  readonly submit: (event: Event) => Promise<void>
  readonly whole: WholeAccount
  readonly matrix: Matrix
}

function Form({ question, pose, submit, whole: { account, keys }, matrix }: FormProps) {
  const set = (changed: Partial<Question>) => pose({ ...question, ...changed })
  const { tools } = question
  const declared = Object.keys(matrix.data[0]?.tools ?? {})
  const toggle = (tool: string) =>
    set({ tools: tools.includes(tool) ? tools.filter(each => each !== tool) : [...tools, tool] })
  return (
    <form class="box pad stack" aria-label={text.form} onSubmit={submit}>
      <div class="fields">
        <label class="field">
          {text.sentWith}
          <select value={question.key} onChange={event => set({ key: event.currentTarget.value })}>
            <option value="">{text.aSignIn}</option>
            {keys.map(({ id, key, name, status }) => (
              <option key={id} value={id}>
                {text.keyNamed(name ?? key, status)}
              </option>
            ))}
          </select>
        </label>
        <ModelField plan={account.plan} matrix={matrix} value={question.model} onChoose={model => set({ model })} />
        <Tokens
          label={text.promptTokens}
          value={question.promptTokens}
          onType={promptTokens => set({ promptTokens })}
          isNeeded
        />
        <Tokens label={text.maxTokens} value={question.maxTokens} onType={maxTokens => set({ maxTokens })} />
      </div>
      <div class="row">
        <label class="check">
          <input
            type="checkbox"
            checked={question.stream}
            onChange={event => set({ stream: event.currentTarget.checked })}
          />
          {text.stream}
        </label>
      </div>
      {declared.length > 0 && (
        <fieldset>
          <legend class="muted">{text.tools}</legend>
          <div class="row">
            {declared.map(tool => (
              <label key={tool} class="check">
                <input type="checkbox" checked={tools.includes(tool)} onChange={() => toggle(tool)} />
                <code>{tool}</code>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <div class="row">
        <button type="submit" class="primary">
          {text.ask}
        </button>
      </div>
    </form>
  )
}

interface ModelProps {
  readonly plan: string | null
  readonly matrix: Matrix
  readonly value: string
  readonly onChoose: (model: string) => void
}

/** The models of the account's plan, and those that are not in it: a question about one of these has an answer too. */
function ModelField({ plan, matrix, value, onChoose }: ModelProps) {
  const row = matrix.data.find(each => each.plan === plan)
  const all = Object.keys(matrix.data[0]?.models ?? {})
  const [included, others] = [all.filter(model => row?.models[model]), all.filter(model => !row?.models[model])]
  const options = (models: readonly string[]) => models.map(model => <option key={model}>{model}</option>)
  return (
    <label class="field">
      {text.model}
      <select value={value} onChange={event => onChoose(event.currentTarget.value)}>
        <option value="">{text.noneNamed}</option>
        {plan !== null && included.length > 0 && <optgroup label={text.inThePlan(plan)}>{options(included)}</optgroup>}
        {others.length > 0 && <optgroup label={text.inNoPlan}>{options(others)}</optgroup>}
      </select>
    </label>
  )
}

interface TokensProps {
  readonly label: string
  readonly value: string
  readonly onType: (value: string) => void
  readonly isNeeded?: boolean
}

const Tokens = ({ label, value, onType, isNeeded = false }: TokensProps) => (
  <label class="field">
    {label}
    <input
      inputMode="numeric"
      autocomplete="off"
      pattern="[1-9]\d{0,5}|1000000"
      required={isNeeded}
      placeholder={isNeeded ? undefined : text.asTheModelSays}
      value={value}
      onInput={event => onType(event.currentTarget.value.trim())}
    />
  </label>
)

const Answer = ({ answer }: { readonly answer: ShownExplained }) => (
  <>
    <section aria-label={text.answer} aria-live="polite">
      <p class={answer.answer ? 'note bad' : 'note info'} role="status">
        <b>{answer.answer ? text.no : text.yes}</b>
      </p>
      <Facts answer={answer} />
      {answer.notes.map(note => (
        <p key={note} class="note">
          <bdi>{note}</bdi>
        </p>
      ))}
    </section>
    <section>
      <h2>{text.why}</h2>
      <div class="box">
        <Stages stages={answer.stages} />
        {answer.answer && <Refusal answer={answer.answer} />}
      </div>
    </section>
    <Remedies remedies={answer.allowed_if} />
    {answer.pools.map(({ pool, choice }) =>
      choice && choice.balance !== 'busy' ? <Choice key={pool} choice={choice} /> : null,
    )}
    {answer.answer && <ClientAnswer title={text.whatTheClientWouldGet} answer={answer.answer} />}
    {answer.limits.length > 0 && <Limits limits={answer.limits} />}
  </>
)

/** The cost at each replica of a pool, and the one that is chosen. */
const Choice = ({ choice: { pool, prompt_tokens, chosen, replicas } }: { readonly choice: ShownChoice }) => (
  <section>
    <h2>{text.replicasOf(pool)}</h2>
    <p class="small muted">{text.costs(number(prompt_tokens))}</p>
    <Table
      label={text.replicasOf(pool)}
      columns={[
        { title: text.replica },
        { title: text.miss, num: true, narrow: true },
        { title: text.owed, num: true, narrow: true },
        { title: text.held, num: true, narrow: true },
        { title: text.running, num: true, narrow: true },
        { title: text.cost, num: true },
        { title: text.loadAge, num: true, narrow: true },
        { title: text.choice },
      ]}
    >
      <tbody>
        {replicas.map(each => (
          <tr key={each.url}>
            <td class="anywhere">
              <code>{each.url}</code>
            </td>
            <td class="num narrow">{number(each.miss_tokens)}</td>
            <td class="num narrow">{number(each.owed_tokens)}</td>
            <td class="num narrow">{number(each.held_tokens)}</td>
            <td class="num narrow">{number(each.running)}</td>
            <td class="num">{number(each.cost)}</td>
            <td class="num narrow">{each.load_age_ms === null ? '–' : text.seconds(each.load_age_ms / 1000)}</td>
            <td>
              <State tone={each.replica === chosen ? 'ok' : each.fitness === 'usable' ? '' : 'warn'}>
                {text.standing(each, chosen)}
              </State>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  </section>
)

function Facts({ answer: { model, route, pools, held, max_tokens, tools } }: { readonly answer: ShownExplained }) {
  const allowed = tools.filter(({ allowed }) => allowed).map(({ tool }) => tool)
  const facts: readonly (readonly [string, string | undefined])[] = [
    [text.model, model === null ? undefined : text.by(model, route)],
    [text.pools, pools.map(({ pool, state }) => text.poolIn(pool, state)).join(text.thenNext)],
    [
      text.reserves,
      held
        ? `${exactUsd(held.usd)} ${text.atPrice(exactUsd(held.input_usd_per_1m), exactUsd(held.output_usd_per_1m))}`
        : undefined,
    ],
    [text.output, max_tokens === null ? undefined : text.tokens(number(max_tokens))],
    [text.allowedTools, tools.length === 0 ? undefined : allowed.join(', ') || text.none],
  ]
  const known = facts.filter(([, value]) => value)
  if (known.length === 0) return null
  return (
    <dl class="box facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const Limits = ({ limits }: Pick<ShownExplained, 'limits'>) => (
  <section>
    <h2>{text.limits}</h2>
    <Table
      label={text.limits}
      columns={[
        { title: text.limit },
        { title: text.used },
        { title: text.left, num: true },
        { title: text.beginsAnew, narrow: true },
      ]}
    >
      <tbody>
        {limits.map(use => (
          <tr key={`${nameOfUse(use)} ${use.key}`}>
            <td>{nameOfUse(use)}</td>
            <td class="spent">
              <Use use={use} />
            </td>
            <td class="num">{leftText(use)}</td>
            <td class="narrow muted">{use.resets_at === null ? '–' : <Time at={use.resets_at} />}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  </section>
)

function leftText({ measure, remaining }: ShownExplained['limits'][number]): string {
  if (remaining === null) return '–'
  return measure === 'usd' ? exactUsd(remaining) : number(Number(remaining))
}
