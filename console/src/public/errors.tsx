import { useEffect } from 'preact/hooks'
import type { ErrorDoc, ErrorList } from '../../../src/wire/errors/list.ts'
import { askOpen } from '../shared/api.ts'
import { boot } from '../shared/boot.ts'
import { useFind } from '../shared/find.tsx'
import { Link } from '../shared/frame/link.tsx'
import { anchor } from '../shared/frame/router.ts'
import { Marked } from '../shared/marked.tsx'
import { useResource } from '../shared/resource.ts'
import { Header, Loaded } from '../shared/states.tsx'
import * as text from './texts/errors.tsx'
import * as frameText from './texts/frame.tsx'

/** Every error of the API, what it means and what to do: for people who are not signed in too. */
export function Errors() {
  const docs = useResource<ErrorList>(() => askOpen('/docs/errors.json'))
  const { field, word } = useFind(text.find)
  return (
    <>
      <Header title={frameText.titles.errors} aside={field}>
        {text.about} {boot.client_id !== null && text.keys(words => <Link to="keys">{words}</Link>)}
      </Header>
      <Loaded of={docs}>{data => <Docs docs={data} wanted={word} />}</Loaded>
    </>
  )
}

function Docs({ docs: { data, types }, wanted }: { readonly docs: ErrorList; readonly wanted: string }) {
  const here = anchor.value
  useEffect(() => document.getElementById(here)?.scrollIntoView(), [])
  const found = data.filter(doc => JSON.stringify(doc).toLowerCase().includes(wanted))
  if (found.length === 0) return <p class="muted">{text.none}</p>
  return (
    <div class="stack">
      {found.map(doc => (
        <section key={doc.code} id={doc.code} class={`box pad error-doc${doc.code === here ? ' here' : ''}`}>
          <h2>
            <code>{doc.code}</code> <span class="muted">{doc.status}</span>
          </h2>
          <p>
            <Marked text={doc.meaning} />
          </p>
          <Todo doc={doc} />
          {doc.code === 'rate_limit_exceeded' && (
            <dl class="terms">
              {types.map(({ type, meaning }) => [
                <dt key={type}>
                  <code>{type}</code>
                </dt>,
                <dd key={`${type} meaning`}>
                  <Marked text={meaning} />
                </dd>,
              ])}
            </dl>
          )}
        </section>
      ))}
    </div>
  )
}

const Todo = ({ doc: { retry, todo } }: { readonly doc: ErrorDoc }) => (
  <dl class="terms">
    <dt>{text.retry}</dt>
    <dd>
      <Marked text={retry} />
    </dd>
    <dt>{text.todo}</dt>
    <dd>
      <Marked text={todo} />
    </dd>
  </dl>
)
