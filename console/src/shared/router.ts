import { signal } from '@preact/signals'
import { prefix } from './boot.ts'

/** The page that the address names: `keys`; empty for the first one. */
export const page = signal(pageOf(location.pathname))

/** The part of the address behind `#`. */
export const anchor = signal(location.hash.slice(1))

/** Asked before a page is left: a text that says what would be lost, where something would. */
let guard: (() => string | undefined) | undefined

/** Has `why` asked before the page is left. Returns how to end that. */
export function guardLeaving(why: () => string | undefined): () => void {
  guard = why
  return () => {
    if (guard === why) guard = undefined
  }
}

export const hrefOf = (name: string): string => (name === '' ? prefix : `${prefix}/${name}`)

/** Goes to a page, unless its reader wants to stay. */
export function navigate(name: string): void {
  if (name === page.value && location.hash === '') return
  if (!mayLeave()) return
  history.pushState(null, '', hrefOf(name))
  read()
}

/** Puts another address in place of the one that is shown. */
export function replaceAddress(path: string): void {
  history.replaceState(null, '', path)
  read()
}

function mayLeave(): boolean {
  const why = guard?.()
  return why === undefined || confirm(why)
}

function read(): void {
  page.value = pageOf(location.pathname)
  anchor.value = location.hash.slice(1)
}

function pageOf(path: string): string {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : ''
}

addEventListener('popstate', () => {
  if (pageOf(location.pathname) === page.peek() || mayLeave()) return read()
  history.pushState(null, '', hrefOf(page.peek()))
})

addEventListener('beforeunload', event => {
  if (guard?.() !== undefined) event.preventDefault()
})
