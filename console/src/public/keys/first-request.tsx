import { useRef } from 'preact/hooks'
import { Link } from '../../shared/frame/link.tsx'
import { useResource } from '../../shared/resource.ts'
import { State } from '../../shared/state.tsx'
import { hasAskedModel, newestOwn } from '../requests/read-own.ts'
import * as text from '../texts/first-steps.tsx'

/** Beside the first key: says when the first request arrives. Nothing for accounts that had one before. */
export function FirstRequest() {
  const { data } = useResource(() => newestOwn(SOME), EVERY_MS)
  const found = data?.data.find(hasAskedModel)
  const wasFirst = useRef<boolean>(undefined)
  if (data) wasFirst.current ??= found === undefined
  if (!wasFirst.current) return null
  return (
    <p class="pad" role="status">
      <State tone={found ? 'ok' : ''}>
        {found
          ? text.arrived(words => (
              <Link to="requests" query={{ id: found.id }}>
                {words}
              </Link>
            ))
          : text.waiting}
      </State>
    </p>
  )
}

const EVERY_MS = 3000
const SOME = 20
