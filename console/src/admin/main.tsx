import { useEffect } from 'preact/hooks'
import '../shared/tokens.css'
import '../shared/base.css'
import './admin.css'
import { Frame, type Page, type Who } from '../shared/frame.tsx'
import { open, Splash } from '../shared/open.tsx'
import { page } from '../shared/router.ts'
import { state } from '../shared/session.ts'
import '../shared/theme.ts'
import { followWho, who } from './api/who.ts'
import { Door } from './door.tsx'
import { Live } from './live/live.tsx'
import { startOperator } from './operator.ts'
import { Pools } from './pools.tsx'
import { Requests } from './requests.tsx'

/** The first of them is shown where the address names none. */
const PAGES: readonly Page[] = [
  { name: '', title: 'Live', key: 'l', view: Live },
  { name: 'requests', title: 'Requests', key: 'r', view: Requests },
  { name: 'pools', title: 'Pools', key: 'p', view: Pools },
]

function App() {
  const isIn = state.value === 'in' || state.value === 'ended'
  useEffect(() => (isIn ? followWho() : undefined), [isIn])
  if (state.value === 'starting') return <Splash />
  const chosen = PAGES.find(({ name }) => name === page.value) ?? PAGES[0]
  if (!chosen || !isIn) return <Door />
  const View = chosen.view
  return (
    <Frame pages={PAGES} who={whoIsThere()}>
      <View />
    </Frame>
  )
}

function whoIsThere(): Who {
  const { data } = who.value
  const note = data && (
    <>
      <bdi>{data.by}</bdi>
      <br />
      revision {data.number} <code>{data.revision}</code>
    </>
  )
  return { label: location.host, note }
}

open(<App />, startOperator)
