import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'
import * as icons from '../icons.ts'
import * as common from '../texts/common.ts'
import type { Page } from './frame.tsx'

/** The search over everything that a door has a page for. */
export interface SearchViewProps {
  readonly pages: readonly Page[]
}

export type LoadSearch = () => Promise<{ readonly default: ComponentType<SearchViewProps> }>

/** Whether the search is open. */
const isOpen = signal(false)

export function closeSearch(): void {
  isOpen.value = false
}

function openSearch(): void {
  isOpen.value = true
}

/** Opens the search, or closes it, from anywhere, fields included; but never beside another dialog. */
export function pressSearchKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return
  event.preventDefault()
  if (isOpen.value) closeSearch()
  else if (document.querySelector('dialog[open]') === null) openSearch()
}

/** The keys that open it, as this keyboard has them. */
export const SEARCH_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? common.searchKeys.mac : common.searchKeys.others

export const SearchButton = () => (
  <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick={openSearch}>
    <Icon path={icons.search} />
    <span>{common.search}</span>
    <kbd>{SEARCH_KEYS}</kbd>
  </button>
)

/** The search where it is open. Its code is loaded once it is opened first. */
export function OpenSearch({ load, pages }: SearchViewProps & { readonly load: LoadSearch }) {
  const [View, show] = useState<ComponentType<SearchViewProps>>()
  const isWanted = isOpen.value
  useEffect(() => {
    if (isWanted) load().then(found => show(() => found.default), closeSearch)
  }, [isWanted])
  return isWanted && View ? <View pages={pages} /> : null
}
