import { signal } from '@preact/signals'
import { prefix } from '../boot.ts'

/** The page that the address names: `keys`; empty for the first one. */
export const page = signal(pageOf(location.pathname))

/** The query behind `?`: the state of a page that is worth a link. */
export const query = signal(new URLSearchParams(location.search))

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

/** Fields of a query; those without a value are left out. */
export type Query = Readonly<Record<string, string | undefined>>

export function hrefOf(name: string, wanted: Query = {}): string {
  const given = Object.entries(wanted).flatMap(([field, value]) => (value ? [[field, value]] : []))
  const search = new URLSearchParams(given).toString()
  return (name === '' ? prefix : `${prefix}/${name}`) + (search && `?${search}`)
}

/** Goes to a page, unless its reader wants to stay. */
export function navigate(name: string, wanted: Query = {}): void {
  const href = hrefOf(name, wanted)
  if (href === location.pathname + location.search + location.hash) return
  if (!mayLeave()) return
  steps++
  history.pushState(null, '', href)
  read()
}

/** How many steps of the history are of this page. */
let steps = 0

/** Goes back to where its reader came from: with the search that was there; else to the page itself. */
export function leaveDetail(): void {
  if (steps > 0) history.back()
  else navigate(page.peek())
}

/** Changes fields of the query of the page that is shown, without a step in the history. */
export function refine(wanted: Query): void {
  replaceAddress(hrefOf(page.peek(), { ...Object.fromEntries(query.peek()), ...wanted }))
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

/** The `id` of what was left for the list that it is a row of. */
let left: string | null = null

/** Whether a link leads to what was just left: then its reader goes on from there. True once. */
export function takeLeft(id: string | undefined): boolean {
  const isLeft = id !== undefined && id === left
  if (isLeft) left = null
  return isLeft
}

function read(): void {
  const before = { page: page.peek(), id: query.peek().get('id') }
  page.value = pageOf(location.pathname)
  query.value = new URLSearchParams(location.search)
  left = before.page === page.peek() && !query.peek().has('id') ? before.id : null
  anchor.value = location.hash.slice(1)
}

function pageOf(path: string): string {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : ''
}

addEventListener('popstate', () => {
  steps = Math.max(0, steps - 1)
  if (pageOf(location.pathname) === page.peek() || mayLeave()) return read()
  history.pushState(null, '', hrefOf(page.peek(), Object.fromEntries(query.peek())))
})

addEventListener('beforeunload', event => {
  if (guard?.() !== undefined) event.preventDefault()
})
