import './search.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Page } from '../frame/frame.tsx'
import { navigate, type Query } from '../frame/router.ts'
import { closeSearch } from '../frame/search.tsx'
import { Icon } from '../icon.tsx'
import { Problem } from '../states.tsx'
import * as common from '../texts/common.ts'
import * as text from '../texts/search.ts'
import { useAnswer } from './use-answer.ts'

/** Something that was found, and the page that shows it. */
export interface Hit {
  /** Tells it from the others of its group. */
  readonly key: string
  readonly title: ComponentChildren
  /** The lines of its icon. */
  readonly icon: string
  readonly note?: ComponentChildren
  readonly to: string
  readonly query?: Query
}

export interface Group {
  readonly title: string
  readonly hits: readonly Hit[]
}

export interface Results {
  readonly groups: readonly Group[]
  /** A note on what was not looked at. */
  readonly note?: ComponentChildren
}

interface SearchProps {
  /** Names the things that can be found. */
  readonly hint: string
  /** Found by their titles at once. */
  readonly pages: readonly Page[]
  readonly find: (typed: string) => Promise<Results>
}

/** One field that finds whatever has a page. Arrows choose, Enter opens, Esc closes. */
export function Search({ hint, pages, find }: SearchProps) {
  const [typed, type] = useState('')
  const [at, choose] = useState(0)
  const wanted = typed.trim()
  const answer = useAnswer(wanted, find)
  const groups = [
    { title: common.pages, hits: pages.filter(page => isLike(page, wanted)).map(hitOf) },
    ...(answer?.results?.groups ?? []),
  ].filter(({ hits }) => hits.length > 0)
  const hits = groups.flatMap(group => group.hits)
  const chosen = Math.min(at, hits.length - 1)
  const go = (hit: Hit | undefined) => {
    if (!hit) return
    closeSearch()
    navigate(hit.to, hit.query)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && hits.length > 0) choose((chosen + step + hits.length) % hits.length)
    else if (event.key === 'Enter') go(hits[chosen])
    else return
    event.preventDefault()
  }
  const listed = useId()
  const optionId = (index: number) => `${listed}-${index}`
  useEffect(() => document.getElementById(optionId(chosen))?.scrollIntoView({ block: 'nearest' }), [chosen])
  const isDone = wanted === '' || answer !== undefined
  return (
    <SearchDialog>
      <input
        class="search-field"
        type="text"
        role="combobox"
        aria-label={text.search}
        aria-expanded={hits.length > 0}
        aria-controls={listed}
        aria-autocomplete="list"
        {...(hits.length > 0 && { 'aria-activedescendant': optionId(chosen) })}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder={hint}
        value={typed}
        onInput={event => {
          type(event.currentTarget.value)
          choose(0)
        }}
        onKeyDown={press}
      />
      <div class="search-hits" role="listbox" id={listed} aria-label={text.results}>
        <Groups groups={groups} chosen={chosen} optionId={optionId} onPoint={choose} onOpen={go} />
      </div>
      <div class="search-end small muted">
        <p role="status">{isDone ? sumOf(hits.length, wanted) : text.searching}</p>
        {answer?.problem && <Problem problem={answer.problem} />}
        {answer?.results?.note !== undefined && <p onClickCapture={closeSearch}>{answer.results.note}</p>}
      </div>
    </SearchDialog>
  )
}

const isLike = ({ title }: Page, wanted: string): boolean => title.toLowerCase().includes(wanted.toLowerCase())

const hitOf = ({ name, title, icon }: Page): Hit => ({ key: name, title, icon, to: name })

const sumOf = (count: number, wanted: string): string => (wanted === '' ? text.keys : text.found(count))

interface GroupsProps {
  readonly groups: readonly Group[]
  /** The place of the hit that Enter opens, counted over all groups. */
  readonly chosen: number
  readonly optionId: (index: number) => string
  readonly onPoint: (index: number) => void
  readonly onOpen: (hit: Hit) => void
}

function Groups({ groups, chosen, optionId, onPoint, onOpen }: GroupsProps) {
  let index = 0
  return groups.map(({ title, hits }) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
    <div key={title} role="group" aria-label={title}>
      <p class="small muted" aria-hidden="true">
        {title}
      </p>
      {hits.map(hit => {
        const place = index++
        return (
          // Keys are pressed in the field, which has the focus.
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: see above
          <div
            key={hit.key}
            id={optionId(place)}
            role="option"
            aria-selected={place === chosen}
            onPointerMove={() => onPoint(place)}
            onClick={() => onOpen(hit)}
          >
            <Icon path={hit.icon} />
            <span class="search-title">{hit.title}</span>
            {hit.note !== undefined && <span class="search-note muted">{hit.note}</span>}
          </div>
        )
      })}
    </div>
  ))
}

/** A dialog that a click beside it closes. The focus returns to where it was. */
function SearchDialog({ children }: { readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a dialog is closed by Esc
    <dialog
      ref={dialog}
      class="search"
      aria-label={text.search}
      onClose={closeSearch}
      onClick={event => event.target === dialog.current && closeSearch()}
    >
      {children}
    </dialog>
  )
}
