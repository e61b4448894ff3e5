import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiProblem } from './api.ts'
import type { Resource } from './resource.ts'
import * as common from './texts/common.ts'
import { Time } from './time/time.tsx'

/** The top of a page. Its heading has the focus once the page is shown, so that a reader of screens begins there. */
export function Header({ title, children, aside }: HeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${common.console}`
    heading.current?.focus({ preventScroll: true })
  }, [])
  const text = (
    <div class="headline">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children !== undefined && <p class="muted">{children}</p>}
    </div>
  )
  if (aside === undefined) return <header>{text}</header>
  return (
    <header class="wide split">
      {text}
      {aside}
    </header>
  )
}

interface HeaderProps {
  readonly title: string
  readonly children?: ComponentChildren
  readonly aside?: ComponentChildren
}

/** Shows what is there, or that it is on its way; above it what went wrong. */
export function Loaded<T>({ of, children }: LoadedProps<T>) {
  const { data, problem, at, refresh } = of
  return (
    <>
      {problem && <Problem problem={problem} at={at} onAgain={refresh} />}
      {data === undefined ? !problem && <div class="skeleton" aria-hidden="true" /> : children(data)}
    </>
  )
}

interface LoadedProps<T> {
  readonly of: Resource<T>
  readonly children: (data: T) => ComponentChildren
}

/** A problem where it happened: what it is, what to do, and the request that the operator can look up. */
export function Problem({ problem, at, onAgain, children }: ProblemProps) {
  const { message, requestId } = problem
  return (
    <div class={problem.isOurs ? 'note' : 'note bad'} role="alert">
      <p>
        <bdi>{common.problems[problem.code] ?? message}</bdi>
      </p>
      {problem.detail !== undefined && <pre>{problem.detail}</pre>}
      {children}
      <p class="row small muted">
        {at !== undefined && <span>{common.asOf(<Time at={at} />)}</span>}
        {requestId !== undefined && <code>{requestId}</code>}
        {onAgain && (
          <button type="button" class="link" onClick={() => void onAgain()}>
            {common.askAgain}
          </button>
        )}
      </p>
    </div>
  )
}

interface ProblemProps {
  readonly problem: ApiProblem
  readonly at?: number | undefined
  readonly onAgain?: () => unknown
  /** The remedy. */
  readonly children?: ComponentChildren
}

/** Nothing is there: a fact, a sentence, and the one thing to do. */
export const Empty = ({ fact, children }: { readonly fact: string; readonly children: ComponentChildren }) => (
  <div class="empty">
    <b>{fact}</b>
    {children}
  </div>
)
