import type { ComponentChildren } from 'preact'
import { Link } from '../shared/frame/link.tsx'
import { Empty } from '../shared/states.tsx'
import { lookedWith } from './look-with-key.tsx'

interface NothingYetProps {
  readonly fact: string
  /** The next step as text with links. Only a signed-in person can create keys. */
  readonly words: (link: (page: string, words: string) => ComponentChildren, hasKeys: boolean) => ComponentChildren
  readonly children?: ComponentChildren
}

/** The next step of a reader who has no data to see yet. */
export const NothingYet = ({ fact, words, children }: NothingYetProps) => (
  <Empty fact={fact}>
    {children}
    <p class="muted">
      {words(
        (page, text) => (
          <Link to={page}>{text}</Link>
        ),
        lookedWith.value === undefined,
      )}
    </p>
  </Empty>
)
