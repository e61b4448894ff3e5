import type { ComponentChildren } from 'preact'
import { Link } from '../shared/frame/link.tsx'
import { Empty } from '../shared/states.tsx'
import { lookedWith } from './look-with-key.tsx'

interface NothingYetProps {
  readonly fact: string
  /** The next step in words with links; keys can be made with a sign-in alone. */
  readonly words: (link: (page: string, words: string) => ComponentChildren, hasKeys: boolean) => ComponentChildren
  readonly children?: ComponentChildren
}

/** Where nothing was done yet, what its reader may do. */
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
