import { signal } from '@preact/signals'

const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
/** The only thing that outlives a tab. */
const KEPT = 'svc.theme'

export const theme = signal<Theme>(keptTheme())
apply(theme.value)

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto'
  theme.value = next
  localStorage.setItem(KEPT, next)
  apply(next)
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT)
  return THEMES.find(each => each === kept) ?? 'auto'
}

function apply(chosen: Theme): void {
  const { dataset } = document.documentElement
  if (chosen === 'auto') delete dataset.theme
  else dataset.theme = chosen
}
