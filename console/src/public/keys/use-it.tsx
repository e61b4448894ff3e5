import { useId, useState } from 'preact/hooks'
import { askOpen } from '../../shared/api.ts'
import { boot } from '../../shared/boot.ts'
import { Copy } from '../../shared/copy.tsx'
import { count } from '../../shared/fmt.ts'
import { useResource } from '../../shared/resource.ts'
import { Loaded } from '../../shared/states.tsx'
import { Tabs } from '../../shared/tabs.tsx'
import { account } from '../account.ts'
import type { CatalogModel } from '../catalog.ts'
import * as text from '../texts/snippets.tsx'
import { AGENT_CONTEXT, agentModelsOf } from './agent-models.ts'
import { AGENT_SNIPPETS, type AgentSnippet, KEY_VARIABLE, SNIPPETS, type Snippet } from './snippets.ts'

interface UseItProps {
  /** A value that was just made; absent where none is known. */
  readonly value?: string | undefined
  /** The models of that key, where it has fewer than its account. */
  readonly models?: readonly string[] | undefined
  readonly onCopied?: (() => void) | undefined
}

/** How clients use a key. The screen hides the key's value until its reader asks for it; copying includes it. */
export function UseIt({ value, models, onCopied }: UseItProps) {
  const [name, choose] = useState(SNIPPETS[0]?.name ?? '')
  const panel = useId()
  const catalog = useResource<{ readonly data: readonly CatalogModel[] }>(() => askOpen('/v1/models'))
  const snippet = SNIPPETS.find(each => each.name === name)
  const agent = AGENT_SNIPPETS.find(each => each.name === name)
  const shared = { value, onCopied }
  return (
    <>
      <Tabs
        label={text.clients}
        names={[...SNIPPETS, ...AGENT_SNIPPETS].map(each => each.name)}
        chosen={name}
        panel={panel}
        onChoose={choose}
      />
      <div class="snippet" role="tabpanel" id={panel} aria-label={name}>
        {snippet && <Shown key={name} snippet={snippet} {...shared} />}
        {agent && (
          <Loaded of={catalog}>
            {({ data }) => <ForAgent key={name} snippet={agent} catalog={data} models={models} {...shared} />}
          </Loaded>
        )}
      </div>
    </>
  )
}

interface ForAgentProps extends UseItProps {
  readonly snippet: AgentSnippet
  readonly catalog: readonly CatalogModel[]
}

/** The snippets of agents with models that suit them, or a sentence where no model does. */
function ForAgent({ snippet, catalog, models, ...shared }: ForAgentProps) {
  const found = agentModelsOf(catalog, models ?? account.value.data?.models, boot.default_model)
  if (!found) return <p>{text.noChatModel}</p>
  const { main, context, isLarge } = found
  return (
    <>
      {!isLarge && <p class="note small">{text.tooSmall(main, count(context), count(AGENT_CONTEXT))}</p>}
      <Shown snippet={{ ...snippet, text: key => snippet.text(key, found) }} {...shared} />
    </>
  )
}

function Shown({ snippet, value, onCopied }: Omit<UseItProps, 'models'> & { readonly snippet: Snippet }) {
  const [isShown, show] = useState(false)
  const whole = snippet.text(value ?? `$${KEY_VARIABLE}`)
  const shown = value === undefined || isShown ? whole : snippet.text(maskOf(value))
  const hasKey = value !== undefined && whole.includes(value)
  return (
    <>
      {snippet.into !== undefined && <p class="small muted">{snippet.into}</p>}
      {value === undefined && snippet.into === undefined && (
        <p class="small muted">{text.variable(<code>{KEY_VARIABLE}</code>)}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>{shown}</pre>
      <Copy value={whole} what={text.what} {...(hasKey && onCopied && { onCopied })} />
      {hasKey && (
        <label class="check muted">
          <input type="checkbox" checked={isShown} onChange={event => show(event.currentTarget.checked)} />
          {text.show}
        </label>
      )}
    </>
  )
}

const maskOf = (value: string): string => `${value.slice(0, 8)}…`
