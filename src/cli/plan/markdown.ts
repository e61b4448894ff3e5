import type { Change, Effect } from '../../config/diff/changes.ts'
import { counted } from '../../config/format/problem-text.ts'
import { oneLine } from '../../wire/printable.ts'
import { codeSpan, comment, fence, short } from './markdown-comment.ts'
import type { Planned } from './planned.ts'
import { sumsText, touchesLines } from './text.ts'
import { upgradeLines, upgradeTitle } from './upgrade-text.ts'

/**
 * A plan as a comment on a pull request. Texts from the files appear only as code, where they can neither mention people nor load
 * pictures, and the comment stays below GitHub's size limit.
 */
export function planMarkdown({ against, title, changes, touches, upgrade }: Planned): string {
  const base = codeSpan(short(oneLine(against)))
  const served = title === undefined ? [] : [codeSpan(short(oneLine(title)))]
  const upgraded = upgradeParagraphs(upgrade)
  if (changes.length === 0) return comment([`**No change in meaning** against ${base}`, ...served, ...upgraded])
  return comment([
    `**${counted(changes.length, 'change')}** against ${base}: ${sumsText(changes)}`,
    ...served,
    fence('diff', changes.map(changeLine), 'svcctl plan'),
    '**Whom it touches**',
    touches.accounts === undefined && touches.requests === undefined
      ? NOT_COUNTED
      : fence('text', touchesLines(touches), 'svcctl plan') || 'No account is on a plan that changes.',
    ...upgraded,
  ])
}

function upgradeParagraphs(upgrade: Planned['upgrade']): readonly string[] {
  if (!upgrade || upgrade.changes.length === 0) return []
  const lines = upgradeLines(upgrade).map(({ text, source }) => (source ? `${text}  (${source})` : text))
  return [`**${upgradeTitle(upgrade)}**`, fence('text', lines, 'svcctl plan')]
}

const NOT_COUNTED =
  'Not counted, because no gateway was asked for its accounts and no decision log was read. `svcctl plan` without `--against` asks the one in `SVCCTL_ADMIN`, as an operator who may read; `--decisions` reads a copy of its log.'

const SIGNS: Readonly<Record<Effect, string>> = { lost: '- ✗', less: '- ↓', other: '! ~', more: '+ +', plumbing: '  ·' }

const changeLine = ({ effect, text, at }: Change): string =>
  `${SIGNS[effect]} ${short(oneLine(text))}  (${short(oneLine(at.file))}:${at.line})`
