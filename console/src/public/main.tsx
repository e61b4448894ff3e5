import { useEffect } from 'preact/hooks'
import '../shared/tokens.css'
import '../shared/base.css'
import { consoleUrl } from '../shared/boot.ts'
import { Door } from '../shared/door.tsx'
import { Frame, type Page, type Who } from '../shared/frame.tsx'
import { Lazy } from '../shared/lazy.tsx'
import { open, Splash } from '../shared/open.tsx'
import { page } from '../shared/router.ts'
import { start, state } from '../shared/session.ts'
import '../shared/theme.ts'
import { common } from '../shared/texts.ts'
import { account, followAccount } from './account.ts'
import { Billing } from './billing.tsx'
import { Errors } from './errors.tsx'
import { Keys } from './keys.tsx'
import { LookWithKey, lookedWith } from './look-with-key.tsx'
import { Models } from './models.tsx'
import { Overview } from './overview.tsx'
import { Requests } from './requests/requests.tsx'
import { texts } from './texts.tsx'

const { titles } = texts
const loadTry = async () => (await import('./try/try.tsx')).Try

const PAGES: readonly Page[] = [
  { name: '', title: titles.overview, key: 'o', view: Overview },
  { name: 'keys', title: titles.keys, key: 'k', needsSignIn: true, view: Keys },
  { name: 'requests', title: titles.requests, key: 'r', view: Requests },
  { name: 'models', title: titles.models, key: 'm', open: true, view: Models },
  { name: 'try', title: titles.try, key: 't', view: () => <Lazy load={loadTry} /> },
  { name: 'billing', title: titles.billing, key: 'b', view: Billing },
  { name: 'errors', title: titles.errors, key: 'e', open: true, view: Errors },
]

function App() {
  const isIn = state.value === 'in' || state.value === 'ended'
  useEffect(() => (isIn ? followAccount() : undefined), [isIn])
  if (state.value === 'starting') return <Splash />
  const pages = pagesFor(isIn)
  const chosen = pages.find(({ name }) => name === page.value) ?? (isIn ? pages[0] : undefined)
  if (!chosen)
    return (
      <Door about={texts.door}>
        <LookWithKey />
      </Door>
    )
  const View = chosen.view
  return (
    <Frame pages={pages} who={isIn ? who() : undefined}>
      <View />
    </Frame>
  )
}

function pagesFor(isIn: boolean): readonly Page[] {
  if (!isIn) return PAGES.filter(({ open }) => open)
  return lookedWith.value === undefined ? PAGES : PAGES.filter(({ needsSignIn }) => !needsSignIn)
}

function who(): Who | undefined {
  const { data } = account.value
  return data && { label: data.label, note: <PlanName plan={data.plan} /> }
}

const PlanName = ({ plan }: { readonly plan: string | null }) => (
  <>
    {common.plan} <bdi>{plan ?? common.noPlan}</bdi>
  </>
)

// Sign-ins lead back to the one address that the provider knows.
if (location.origin === new URL(consoleUrl).origin) open(<App />, start)
else location.replace(consoleUrl)
