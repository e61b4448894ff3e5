import { useEffect } from 'preact/hooks'
import '../shared/tokens.css'
import '../shared/base.css'
import { consoleUrl } from '../shared/boot.ts'
import { Frame, type Page, type Who } from '../shared/frame/frame.tsx'
import { anchor, page } from '../shared/frame/router.ts'
import * as icons from '../shared/icons.ts'
import { Lazy } from '../shared/lazy.tsx'
import { open, Splash } from '../shared/open.tsx'
import { Door } from '../shared/sign-in/door.tsx'
import { start, state } from '../shared/sign-in/session.ts'
import '../shared/frame/theme.ts'
import * as common from '../shared/texts/common.ts'
import { account, followAccount } from './account.ts'
import { LookWithKey, lookedWith } from './look-with-key.tsx'
import { Overview } from './overview.tsx'
import * as deviceText from './texts/device.tsx'
import * as text from './texts/frame.tsx'
import * as invitationText from './texts/invitation.tsx'

/** A page whose code is loaded once one of them is opened. */
const later = (name: keyof typeof import('./pages.ts')) => {
  const load = async () => (await import('./pages.ts'))[name]
  return () => <Lazy load={load} />
}

const Invitation = later('Invitation')
const InvitationNeeded = later('InvitationNeeded')
const DevicePage = later('DevicePage')

const PAGES: readonly Page[] = [
  { name: '', title: text.titles.overview, icon: icons.overview, key: 'o', view: Overview },
  { name: 'keys', title: text.titles.keys, icon: icons.key, key: 'k', needsSignIn: true, view: later('Keys') },
  { name: 'requests', title: text.titles.requests, icon: icons.list, key: 'r', view: later('Requests') },
  { name: 'models', title: text.titles.models, icon: icons.cube, key: 'm', open: true, view: later('Models') },
  { name: 'try', title: text.titles.try, icon: icons.chat, key: 't', view: later('Try') },
  { name: 'billing', title: text.titles.billing, icon: icons.card, key: 'b', view: later('Billing') },
  { name: 'errors', title: text.titles.errors, icon: icons.warning, key: 'e', open: true, view: later('Errors') },
]

function App() {
  const isIn = state.value === 'in' || state.value === 'ended'
  const isInvited = anchor.value.startsWith('invitation=')
  // Asked for before it joins, an account of its own would begin with the sign-in.
  const hasAccount = isIn && !isInvited
  useEffect(() => (hasAccount ? followAccount() : undefined), [hasAccount])
  if (state.value === 'starting') return <Splash />
  if (isInvited) return isIn ? <Invitation /> : <Door about={invitationText.door} />
  if (isIn && account.value.problem?.code === 'INVITATION_NEEDED') return <InvitationNeeded />
  if (asksForDevice()) return isIn ? <DevicePage /> : <Door about={deviceText.door} />
  const pages = pagesFor(isIn)
  const chosen = pages.find(({ name }) => name === page.value) ?? (isIn ? pages[0] : undefined)
  if (!chosen)
    return (
      <Door about={text.door}>
        <LookWithKey />
      </Door>
    )
  const View = chosen.view
  return (
    <Frame pages={pages} who={isIn ? who() : undefined} search={() => import('./search.tsx')}>
      <View />
    </Frame>
  )
}

const asksForDevice = (): boolean => /^device(?:=|$)/.test(anchor.value)

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
