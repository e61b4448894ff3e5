import { askOpen } from '../shared/api.ts'
import { Copy } from '../shared/copy.tsx'
import { useFind } from '../shared/find.tsx'
import { count } from '../shared/fmt.ts'
import { Link } from '../shared/frame/link.tsx'
import { useResource } from '../shared/resource.ts'
import { State } from '../shared/state.tsx'
import { Header, Loaded } from '../shared/states.tsx'
import { account } from './account.ts'
import { abilitiesOf, type CatalogModel, priceOf } from './catalog.ts'
import * as frameText from './texts/frame.tsx'
import * as text from './texts/models.tsx'

/** Every model, what it can and costs, and whether the plan has it. */
export function Models() {
  const models = useResource<{ readonly data: readonly CatalogModel[] }>(() => askOpen('/v1/models'))
  const { field, word } = useFind(text.find)
  return (
    <>
      <Header title={frameText.titles.models} aside={field}>
        {text.about(<code>plan_limit</code>)}
      </Header>
      <Loaded of={models}>
        {({ data }) => {
          const found = sorted(data).filter(({ id, kind }) => `${id} ${kind}`.toLowerCase().includes(word))
          return found.length === 0 ? <p class="muted">{text.none}</p> : <Table models={found} />
        }}
      </Loaded>
    </>
  )
}

/** Chats first, as they came. */
const sorted = (models: readonly CatalogModel[]): readonly CatalogModel[] => [
  ...models.filter(({ kind }) => kind === 'chat'),
  ...models.filter(({ kind }) => kind !== 'chat'),
]

function Table({ models }: { readonly models: readonly CatalogModel[] }) {
  const own = account.value.data?.models
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="box scroll table" aria-label={frameText.titles.models} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text.model}</th>
            {own && <th scope="col">{text.inPlan}</th>}
            <th scope="col" class="num">
              {text.context}
            </th>
            <th scope="col" class="num narrow">
              {text.mostOutput}
            </th>
            <th scope="col" class="num narrow">
              {text.input}
            </th>
            <th scope="col" class="num narrow">
              {text.output}
            </th>
            <th scope="col" class="narrow">
              {text.can}
            </th>
            <th scope="col" class="narrow">
              <span class="hidden">{text.copy}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map(model => (
            <Row key={model.id} model={model} isOwn={own?.includes(model.alias_of ?? model.id)} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ model, isOwn }: { readonly model: CatalogModel; readonly isOwn: boolean | undefined }) {
  const { id, kind, alias_of, context_length, max_output_tokens } = model
  const { input, output } = priceOf(model)
  const abilities = abilitiesOf(model).join(', ')
  return (
    <tr class={isOwn === false ? 'off' : ''}>
      <td>
        <code>{id}</code>
        {alias_of !== undefined && <span class="muted"> → {alias_of}</span>}
        <p class="second small muted">
          {output === '–' ? input : text.inOut(input, output)} · {abilities}
        </p>
      </td>
      {isOwn !== undefined && (
        <td>
          <State tone={isOwn ? 'ok' : ''}>{isOwn ? text.yes : text.no}</State>
        </td>
      )}
      <td class="num">{context_length === undefined ? '–' : count(context_length)}</td>
      <td class="num narrow">{max_output_tokens === undefined ? '–' : count(max_output_tokens)}</td>
      <td class="num narrow">{input}</td>
      <td class="num narrow">{output}</td>
      <td class="narrow muted">{abilities}</td>
      <td class="narrow num">
        {isOwn && kind === 'chat' && (
          <Link to="try" query={{ model: id }}>
            {frameText.titles.try}
            <span class="hidden"> {id}</span>
          </Link>
        )}{' '}
        <Copy value={id} what={text.name(id)} quiet />
      </td>
    </tr>
  )
}
