import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import * as icons from './icons.ts'

/** How a state stands out; empty for one that is neither good nor bad. */
export type Tone = 'ok' | 'warn' | 'bad' | ''

interface StateProps {
  readonly tone: Tone
  readonly title?: string
  readonly children: ComponentChildren
}

/** A state in words, beside an icon whose outline says how good it is. */
export const State = ({ tone, title, children }: StateProps) => (
  <span class={`state ${tone}`} title={title}>
    <Icon path={ICONS[tone]} />
    {children}
  </span>
)

const ICONS: Readonly<Record<Tone, string>> = {
  ok: icons.check,
  warn: icons.warning,
  bad: icons.failure,
  '': icons.idle,
}
