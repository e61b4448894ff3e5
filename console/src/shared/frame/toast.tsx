import { signal } from '@preact/signals'

const text = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

/** Says something that needs no answer. */
export function toast(said: string): void {
  text.value = said
  clearTimeout(timer)
  timer = setTimeout(() => {
    text.value = ''
  }, SHOWN_MS)
}

const SHOWN_MS = 5000

export const Toast = () => (
  <div class="toast" role="status">
    {text.value}
  </div>
)
