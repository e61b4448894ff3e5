import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A page whose code is loaded once it is opened. Where that is gone, there is a new version: the frame says so. */
export function Lazy({ load }: { readonly load: () => Promise<ComponentType> }) {
  const [View, show] = useState<ComponentType>()
  useEffect(() => {
    load().then(
      found => show(() => found),
      () => undefined,
    )
  }, [])
  return View ? <View /> : <div class="skeleton" aria-hidden="true" />
}
