import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import * as common from '../texts/common.ts'
import type { Page } from './frame.tsx'
import { leaveDetail, navigate, query } from './router.ts'
import { pressSearchKey, SEARCH_KEYS } from './search.tsx'

const isListed = signal(false)

/** Keys that do something anywhere but in fields and dialogs. */
export function Shortcuts({ pages }: { readonly pages: readonly Page[] }) {
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent) => {
      const { key, timeStamp } = event
      if (isModified(event) || isTyping(event.target)) return
      const chosen = timeStamp - wentAt < SECOND_KEY_MS ? pages.find(each => each.key === key) : undefined
      wentAt = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY
      if (chosen) navigate(chosen.name)
      else ACTIONS[key]?.(event)
    }
    addEventListener('keydown', press)
    addEventListener('keydown', pressSearchKey)
    return () => {
      removeEventListener('keydown', press)
      removeEventListener('keydown', pressSearchKey)
    }
  }, [pages])
  if (!isListed.value) return null
  const close = () => {
    isListed.value = false
  }
  return (
    <dialog ref={showAtOnce} aria-label={common.keys} onClose={close}>
      <form method="dialog">
        <h2>{common.keys}</h2>
        <dl class="terms">
          {pages.map(({ key, title }) => (
            <div key={key} class="term">
              <dt>
                <kbd>g {key}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
          <div class="term">
            <dt>
              <kbd>{SEARCH_KEYS}</kbd>
            </dt>
            <dd>{common.searchAll}</dd>
          </div>
          {common.shortcuts.map(([key, does]) => (
            <div key={key} class="term">
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <div class="row end">
          <button type="submit">{common.close}</button>
        </div>
      </form>
    </dialog>
  )
}

const showAtOnce = (dialog: HTMLDialogElement | null): void => {
  if (dialog?.open === false) dialog.showModal()
}

const SECOND_KEY_MS = 1000

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null

const isModified = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey

const ACTIONS: Readonly<Record<string, (event: Event) => unknown>> = {
  '/': find,
  j: event => step(event, 1),
  k: event => step(event, -1),
  ArrowDown: event => isRow(event.target) && step(event, 1),
  ArrowUp: event => isRow(event.target) && step(event, -1),
  r: () => void dispatchEvent(new Event('refresh')),
  // Pages that change by themselves pause.
  p: () => void dispatchEvent(new Event('pause')),
  // From one row to the list of them.
  Escape: () => ['id', 'from'].some(name => query.peek().has(name)) && leaveDetail(),
  '?': () => {
    isListed.value = true
  },
}

function find(event: Event): void {
  const field = document.querySelector<HTMLInputElement>('input[type="search"]')
  if (!field) return
  event.preventDefault()
  field.focus()
}

const isRow = (target: EventTarget | null): boolean => target instanceof Element && target.matches(ROWS)

/** Moves the focus between rows: what opens a row has `data-row`. */
function step(event: Event, by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = rows[at === -1 ? 0 : at + by]
  if (!next) return
  event.preventDefault()
  next.focus()
}

const ROWS = '[data-row]'
