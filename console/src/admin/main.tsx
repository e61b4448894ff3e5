import { useEffect } from 'preact/hooks'
import * as text from './texts/frame.tsx'
import '../shared/tokens.css'
import '../shared/base.css'
import './admin.css'
import './data.css'
import './live/outlook.css'
import { Frame, type Page, type Who } from '../shared/frame/frame.tsx'
import { page } from '../shared/frame/router.ts'
import * as icons from '../shared/icons.ts'
import { Lazy } from '../shared/lazy.tsx'
import { open, Splash } from '../shared/open.tsx'
import { state } from '../shared/sign-in/session.ts'
import '../shared/frame/theme.ts'
import { followIncidents, openIncidents } from './api/incidents.ts'
import { followWho, who } from './api/who.ts'
import { Door } from './door.tsx'
import { Live } from './live/live.tsx'
import { startOperator } from './operator.ts'

const later = (name: keyof typeof import('./pages.ts')) => () => (
  <Lazy load={async () => (await import('./pages.ts'))[name]} />
)

/** The first of them is shown where the address names none. */
const PAGES: readonly Page[] = [
  { name: '', title: text.live, icon: icons.pulse, key: 'l', view: Live },
  { name: 'requests', title: text.requests, icon: icons.list, key: 'r', view: later('Requests') },
  { name: 'pools', title: text.pools, icon: icons.server, key: 'p', view: later('Pools') },
  { name: 'fleet', title: text.fleet, icon: icons.nodes, key: 'f', view: later('Fleet') },
  { name: 'usage', title: text.usage, icon: icons.bars, key: 'u', view: later('Usage') },
  { name: 'invoices', title: text.invoices, icon: icons.receipt, key: 'i', view: later('Invoices') },
  { name: 'accounts', title: text.accounts, icon: icons.person, key: 'a', view: later('Accounts') },
  { name: 'plans', title: text.plans, icon: icons.layers, key: 'm', view: later('Plans') },
  { name: 'revisions', title: text.revisions, icon: icons.history, key: 'v', view: later('Revisions') },
  { name: 'audit', title: text.audit, icon: icons.clipboard, key: 'd', view: later('Audit') },
  {
    name: 'incidents',
    title: text.incidents,
    icon: icons.bell,
    key: 'n',
    view: later('Incidents'),
    news: openIncidents,
  },
  { name: 'notices', title: text.notices, icon: icons.envelope, key: 'o', view: later('Notices') },
]

function App() {
  const isIn = state.value === 'in' || state.value === 'ended'
  useEffect(() => (isIn ? followWho() : undefined), [isIn])
  useEffect(() => (isIn ? followIncidents() : undefined), [isIn])
  if (state.value === 'starting') return <Splash />
  const chosen = PAGES.find(({ name }) => name === page.value) ?? PAGES[0]
  if (!chosen || !isIn) return <Door />
  const View = chosen.view
  return (
    <Frame pages={PAGES} who={whoIsThere()} search={() => import('./search.tsx')}>
      {who.value.data?.store_state === 'unavailable' && (
        <p class="note" role="status">
          {text.theStoreDoesNot}
        </p>
      )}
      <View />
    </Frame>
  )
}

function whoIsThere(): Who {
  const { data } = who.value
  const note = data && text.whoIsThere(data.role, location.host, data.number, data.revision)
  return { label: data?.by ?? location.host, note }
}

open(<App />, startOperator)
