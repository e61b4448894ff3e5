import { type ComponentChild, render } from 'preact'
import { isStale } from './api.ts'
import { boot } from './boot.ts'
import * as common from './texts/common.ts'

/** Puts a console in place of what the page showed while it was loaded, and finds out who is there. */
export function open(app: ComponentChild, start: () => Promise<void>): void {
  addEventListener('vite:preloadError', () => {
    isStale.value = true
  })
  const place = document.getElementById('app')
  if (!place) return
  place.replaceChildren()
  render(app, place)
  void start()
}

export const Splash = () => (
  <div class="splash">
    <p>
      <b>{boot.brand}</b> {boot.door === 'admin' ? common.operator : common.console}
    </p>
  </div>
)
