import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isStale } from '../api.ts'
import { boot } from '../boot.ts'
import { count } from '../fmt.ts'
import { Icon } from '../icon.tsx'
import { problem, resume, signIn, signOut, state } from '../sign-in/session.ts'
import * as common from '../texts/common.ts'
import { Link } from './link.tsx'
import { Mark } from './mark.tsx'
import { page, query } from './router.ts'
import { type LoadSearch, OpenSearch, SearchButton } from './search.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { nextTheme, theme } from './theme.ts'
import { Toast } from './toast.tsx'

/** A page of a door. */
export interface Page {
  /** The end of its address. */
  readonly name: string
  readonly title: string
  /** The lines of its icon. */
  readonly icon: string
  /** Pressed after `g`. */
  readonly key: string
  /** Whether it is shown to people who are not signed in. */
  readonly open?: true
  /** Whether a key does not do. */
  readonly needsSignIn?: true
  /** The number of things that came and that its reader has not seen. */
  readonly news?: ReadonlySignal<number>
  readonly view: ComponentType
}

interface FrameProps {
  readonly pages: readonly Page[]
  /** Who is signed in, as far as that is known. */
  readonly who: Who | undefined
  /** Loads the search over everything that has a page. */
  readonly search: LoadSearch
  readonly children: ComponentChildren
}

export interface Who {
  readonly label: string
  readonly note: ComponentChildren
}

/** The frame around each page: the brand, the pages, and who is signed in. */
export function Frame({ pages, who, search, children }: FrameProps) {
  const nav = useRef<HTMLElement>(null)
  const name = page.value
  // Narrow windows have the pages in a row that scrolls. A count that arrives beside a page pushes the others along.
  useEffect(() => {
    const row = nav.current
    if (!row) return
    const show = () => row.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    const widths = new ResizeObserver(show)
    for (const link of row.children) widths.observe(link)
    return () => widths.disconnect()
  }, [name])
  return (
    <div class={`frame ${boot.door}`}>
      <a class="skip" href="#main">
        {common.skip}
      </a>
      <div class="side">
        <div class="brand">
          <Mark />
          <span>
            <bdi>{boot.brand}</bdi> <small>{boot.door === 'admin' ? common.operator : common.console}</small>
          </span>
        </div>
        <SearchButton />
        <nav class="nav" aria-label={common.pages} ref={nav}>
          {pages.map(each => (
            <PageLink key={each.name} page={each} />
          ))}
        </nav>
        <div class="who">
          {who && (
            <>
              <b>
                <bdi>{who.label}</bdi>
              </b>
              <span class="muted plan">{who.note}</span>
            </>
          )}
          <div class="row">
            <button type="button" class="link theme" onClick={nextTheme}>
              {common.themes[theme.value]}
            </button>
            <SignInOrOut />
          </div>
        </div>
      </div>
      <div class="main">
        <Bars />
        <main
          class="page"
          id="main"
          key={`${page.value} ${query.value.get('id') ?? ''} ${query.value.get('find') ?? ''}`}
        >
          {children}
        </main>
      </div>
      <Shortcuts pages={pages} />
      <OpenSearch load={search} pages={pages} />
      <Toast />
    </div>
  )
}

const PageLink = ({ page: { name, title, icon, key, news } }: { readonly page: Page }) => (
  <Link to={name} keys={`g ${key}`} isCurrent={name === page.value}>
    <Icon path={icon} />
    {title}
    {news !== undefined && news.value > 0 && <b class="news">{count(news.value)}</b>}
  </Link>
)

function SignInOrOut() {
  if (state.value === 'out')
    return boot.client_id === null ? null : (
      <button type="button" class="link" onClick={() => void signIn()}>
        {common.signIn}
      </button>
    )
  return (
    <button type="button" class="link" onClick={() => void signOut()}>
      {common.signOut}
    </button>
  )
}

/** Bars that concern every page. */
function Bars() {
  return (
    <>
      {state.value === 'ended' && (
        <div class="bar" role="alert">
          <p>{problem.value ?? common.ended}</p>
          <button type="button" onClick={() => void resume()}>
            {common.goOn}
          </button>
        </div>
      )}
      {isStale.value && (
        <div class="bar" role="status">
          <p>{common.newVersion}</p>
          <button type="button" onClick={() => location.reload()}>
            {common.reload}
          </button>
        </div>
      )}
    </>
  )
}
